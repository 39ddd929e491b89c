/** What is known of embedding models: prefixes they were trained with, their window, and whether they know many languages. */
export interface ModelTraits {
  query: string;
  passage: string;
  /** Window in tokens. */
  window: number;
  multilingual: boolean;
}

const RETRIEVAL = 'Represent this sentence for searching relevant passages: ';
const KNOWN: [RegExp, ModelTraits][] = [
  [/mxbai-embed/, { query: RETRIEVAL, passage: '', window: 512, multilingual: false }],
  [/bge-m3/, { query: '', passage: '', window: 8192, multilingual: true }],
  [
    /bge-(?:small|base|large)-en|arctic-embed(?!2|-l-v2|-m-v2)/,
    { query: RETRIEVAL, passage: '', window: 512, multilingual: false },
  ],
  [/nomic-embed/, { query: 'search_query: ', passage: 'search_document: ', window: 2048, multilingual: false }],
  [/multilingual-e5/, { query: 'query: ', passage: 'passage: ', window: 512, multilingual: true }],
  [/\be5-/, { query: 'query: ', passage: 'passage: ', window: 512, multilingual: false }],
  [
    /embeddinggemma/,
    { query: 'task: search result | query: ', passage: 'title: none | text: ', window: 2048, multilingual: true },
  ],
  [
    /qwen3-embedding/,
    {
      query: 'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ',
      passage: '',
      window: 8192,
      multilingual: true,
    },
  ],
  [/minilm/, { query: '', passage: '', window: 256, multilingual: false }],
];

/** Traits by the model's name; an unknown model gets no prefixes, a small window, and the benefit of the doubt. */
export function traitsOf(model: string): ModelTraits {
  const name = model.toLowerCase();
  return (
    KNOWN.find(([pattern]) => pattern.test(name))?.[1] ?? { query: '', passage: '', window: 512, multilingual: true }
  );
}
