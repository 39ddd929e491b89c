/** `askdocs index PATH...`: makes an index of documents, or brings it into step with them; with --watch it stays in step. */
import { defineCommand } from 'citty';
import { CodedError } from '../../service/contract.ts';
import { embedSettings, openEmbedder } from '../../service/search/embed/open.ts';
import { indexPaths } from '../../service/search/ingest/index.ts';
import { watchPaths } from '../../service/search/ingest/watch.ts';
import { withToken } from '../../service/search/stores/milvus/address.ts';
import { readEnvironment } from '../environment.ts';
import { summaryText } from '../index-summary.ts';
import { interruptible } from '../interrupt.ts';
import { createProgress } from '../progress.ts';
import { formatArg, printJson } from '../tables.ts';

export const indexCommand = defineCommand({
  meta: {
    name: 'index',
    description:
      'Index folders and files: Markdown, MDX, text, HTML, PDF, DOCX, reStructuredText, AsciiDoc, notebooks, source code, JSONL records. Run again, it reads only what changed.',
  },
  args: {
    path: { type: 'positional', description: 'Folder or file to index; more may follow', required: true },
    db: {
      type: 'string',
      alias: 'store',
      description: 'Where the index is kept: a file, or milvus://HOST:PORT/COLLECTION',
      default: 'data/docs.db',
      valueHint: 'FILE',
    },
    include: {
      type: 'string',
      description: 'Only files that fit one of these patterns; several by comma or by repeating it',
      valueHint: "'*.md,guides/**'",
    },
    exclude: {
      type: 'string',
      description: 'No files that fit one of these patterns',
      valueHint: "'drafts,*.test.ts'",
    },
    'base-url': {
      type: 'string',
      description: "Where the documents can be opened, for links in citations; kept in the index, '' takes it out",
      valueHint: 'URL',
    },
    watch: { type: 'boolean', description: 'Go on and follow every change, until Ctrl-C', default: false },
    rebuild: {
      type: 'boolean',
      description: 'Read and embed everything anew, for instance after a change of embedder',
      default: false,
    },
    format: formatArg,
  },
  async run({ args, rawArgs }) {
    const options = {
      roots: args._,
      db: withToken(args.db, readEnvironment().ASKDOCS_SEARCH_TOKEN),
      rebuild: args.rebuild,
      include: patterns(rawArgs, 'include'),
      exclude: patterns(rawArgs, 'exclude'),
      baseUrl: baseUrl(args['base-url']),
    };
    const json = args.format === 'json';
    const { embedder, note } = await openEmbedder(embedSettings(readEnvironment()));
    const progress = createProgress();
    try {
      await interruptible(async (signal) => {
        const all = { ...options, embedder, signal, onProgress: progress.update };
        if (args.watch) return follow(all, { json, note, quiet: progress.end });
        const summary = await indexPaths(all);
        progress.end();
        if (json) printJson({ ...summary, note });
        else console.log(summaryText(summary, note));
      });
    } finally {
      progress.end();
    }
  },
});

type Options = Parameters<typeof indexPaths>[0] & { signal: AbortSignal };

async function follow(
  options: Options,
  { json, note, quiet }: { json: boolean; note: string | null; quiet: () => void },
) {
  let first = true;
  const time = () => new Date().toTimeString().slice(0, 8);
  await watchPaths({
    ...options,
    onRun(summary) {
      quiet();
      if (json) console.log(JSON.stringify({ ...summary, note }));
      else console.log(first ? summaryText(summary, note) : `${time()} ${summaryText(summary, null)}`);
      if (first) console.error('Following changes; Ctrl-C ends it.');
      first = false;
    },
    onProblem(message) {
      quiet();
      console.error(`${time()} ${message}`);
    },
  });
}

/** All values of an option that may be repeated, cut at the commas that stand outside braces. */
function patterns(rawArgs: readonly string[], name: string): string[] {
  const end = rawArgs.indexOf('--');
  const words = end === -1 ? rawArgs : rawArgs.slice(0, end);
  const values = words.flatMap((word, at) => {
    if (word === `--${name}`) return [words[at + 1] ?? ''];
    return word.startsWith(`--${name}=`) ? [word.slice(name.length + 3)] : [];
  });
  return values.flatMap((value) => value.split(/,(?![^{]*\})/)).filter((value) => value.trim() !== '');
}

function baseUrl(given: string | undefined): string | undefined {
  if (given === undefined || given === '') return given;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new CodedError(
      'bad_input',
      `--base-url is ${JSON.stringify(given)}; give an address that begins with http:// or https:// and to which the name of a document can be added.`,
    );
  return url.href;
}
