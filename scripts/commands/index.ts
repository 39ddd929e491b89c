/** `askdocs index PATH...`: makes an index of documents, or brings it into step with them. */
import { defineCommand } from 'citty';
import { embedSettings, openEmbedder } from '../../service/search/embed/open.ts';
import { type IndexSummary, indexPaths } from '../../service/search/ingest/index.ts';
import { interruptible } from '../interrupt.ts';
import { createProgress } from '../progress.ts';
import { formatArg, printJson } from '../tables.ts';

export const indexCommand = defineCommand({
  meta: {
    name: 'index',
    description: 'Index a folder of documents (Markdown, plain text). Run again, it reads only what changed.',
  },
  args: {
    path: { type: 'positional', description: 'Folder or file to index; more may follow', required: true },
    db: { type: 'string', description: 'Where the index is kept', default: 'data/docs.db', valueHint: 'FILE' },
    rebuild: {
      type: 'boolean',
      description: 'Read and embed everything anew, for instance after a change of embedder',
      default: false,
    },
    format: formatArg,
  },
  async run({ args }) {
    const progress = createProgress();
    const { embedder, note } = await openEmbedder(embedSettings(process.env));
    const { db, rebuild } = args;
    try {
      const summary = await interruptible((signal) =>
        indexPaths({ roots: args._, db, embedder, rebuild, signal, onProgress: progress.update }),
      );
      progress.end();
      if (args.format === 'json') printJson({ ...summary, note });
      else console.log(summaryText(summary, note));
    } finally {
      progress.end();
    }
  },
});

function summaryText(summary: IndexSummary, note: string | null): string {
  const { files, passages, added, changed, removed, skipped, ignored, db } = summary;
  const changes = [`${added} new`, `${changed} changed`, `${removed} removed`].filter((part) => !part.startsWith('0 '));
  const first =
    changes.length === 0
      ? `Nothing changed: ${count(files, 'file')}, ${count(passages, 'passage')} in ${db}.`
      : `Indexed ${changes.join(', ')}: now ${count(files, 'file')}, ${count(passages, 'passage')} in ${db}, after ${seconds(summary.ms)}.`;
  const lines = skipped.map(({ source, reason }) => `  skipped ${source}: ${reason}`);
  if (ignored > 0) lines.push(`  ${count(ignored, 'file')} of other formats left out`);
  if (note !== null) lines.push(`  Searched by words alone: ${note}`);
  return [first, ...lines].join('\n');
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
