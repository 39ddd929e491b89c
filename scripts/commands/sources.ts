/** `askdocs sources`: which documents are in the index. */
import { defineCommand } from 'citty';
import { withToken } from '../../service/search/stores/milvus/address.ts';
import { openReader } from '../../service/search/stores/open.ts';
import { readEnvironment } from '../environment.ts';
import { formatArg, printJson } from '../tables.ts';

export const sourcesCommand = defineCommand({
  meta: { name: 'sources', description: 'List the documents of an index, with their titles and numbers of passages.' },
  args: {
    db: {
      type: 'string',
      alias: 'store',
      description: 'The index: a file, or milvus://HOST:PORT/COLLECTION',
      default: 'data/docs.db',
      valueHint: 'FILE',
    },
    format: { ...formatArg, description: 'How to print the list' },
  },
  async run({ args }) {
    const reader = await openReader(withToken(args.db, readEnvironment().ASKDOCS_SEARCH_TOKEN), { dense: false });
    try {
      const sources = await reader.sources();
      if (args.format === 'json') printJson({ db: reader.name, sources });
      else if (sources.length === 0)
        console.log(`${reader.name} is empty; fill it with askdocs index PATH --db ${reader.name}`);
      else console.log(table(sources));
    } finally {
      reader.close();
    }
  },
});

type Sources = Awaited<ReturnType<Awaited<ReturnType<typeof openReader>>['sources']>>;

function table(sources: Sources): string {
  const hasLinks = sources.some(({ url }) => url !== undefined);
  // The link stands last, where it may be as long as it likes.
  const rows = sources.map(({ source, title, passages, url }) => [
    source,
    String(passages),
    `  ${title}${hasLinks && url !== undefined ? `  ${url}` : ''}`,
  ]);
  const width = rows.reduce((most, row) => Math.max(most, row[0]?.length ?? 0), 0);
  const lines = rows.map(
    ([source = '', passages = '', rest = '']) => `${source.padEnd(width)}  ${passages.padStart(8)}${rest}`,
  );
  return [
    `${'source'.padEnd(width)}  passages  title`,
    ...lines,
    `${sources.length} source${sources.length === 1 ? '' : 's'}`,
  ].join('\n');
}
