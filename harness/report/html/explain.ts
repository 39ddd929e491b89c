/** One sentence for each metric, for whoever opens the report without the docs at hand. */

const SENTENCES: Record<string, string> = {
  'recall@1': 'Labelled files found among the first 1, gate off.',
  'recall@3': 'Labelled files found among the first 3.',
  'recall@5': 'Labelled files found among the first 5.',
  'success@1': 'The first file found is a labelled one.',
  'success@5': 'A labelled file is among the first 5.',
  'ndcg@10': 'Labelled files found, worth more the higher they stand.',
  'mrr@10': '1 / the place of the first labelled file.',
  context_recall: 'Labelled files among the passages the model was given.',
  key_fact_recall: 'Facts the answer had to state and does; a refusal scores 0.',
  extra_fact_recall: 'Facts that are good to have.',
  right_decision: 'Answered where the documents answer, refused where they do not.',
  wrong_refusal: 'Refused although the documents answer.',
  wrong_answer: 'Answered although the documents do not.',
  service_error: 'The request failed.',
  citation_out_of_range: 'Cites a number that no source has.',
  citation_precision: 'Cited passages that are labelled or state a labelled fact.',
  citation_recall: 'Labelled files the answer cites.',
  misattribution: 'Stated facts that cite a passage without them, while another had them.',
  citation_support: 'Citations that the judge says support their sentence.',
  faithfulness: 'Sentences that the judge says are supported by what they cite.',
};

export function explain(name: string): string {
  return SENTENCES[name] ?? SENTENCES[name.split('@')[0] ?? ''] ?? '';
}
