/** Search as the service would have it: the embedder, then the index behind the real search server. */
import type { Config, Environment } from '../../service/config.ts';
import { CodedError } from '../../service/contract.ts';
import { silentLogger } from '../../service/log.ts';
import type { Retriever } from '../../service/retrieve/client.ts';
import { embedSettings, openEmbedder } from '../../service/search/embed/open.ts';
import { createPipeline } from '../../service/serve.ts';
import { type Check, fail, ok, said, warn } from './check.ts';

export interface EmbedderCheck {
  check: Check;
  there: boolean;
  /** Whether the default one could be fetched with `askdocs models pull`. */
  pullable: boolean;
}

/** Opens it and embeds a word: files that are there may still be broken. */
export async function embedderCheck(env: Environment): Promise<EmbedderCheck> {
  const settings = embedSettings(env);
  try {
    const { embedder, note } = await openEmbedder(settings);
    if (embedder !== null) {
      await embedder.embedQuery('slot');
      const found = `${embedder.name}, ${embedder.dimensions} dimensions`;
      return { check: ok('embedder', found), there: true, pullable: false };
    }
    if (settings.model === 'none') {
      return { check: ok('embedder', 'turned off: search goes by words alone'), there: false, pullable: false };
    }
    const todo = 'Run askdocs models pull (23 MB), then askdocs index again: search goes by meaning too.';
    const absent = !/cannot run/.test(note ?? '');
    const check = warn('embedder', absent ? 'none: search goes by words alone' : (note ?? ''), absent ? todo : null);
    return { check, there: false, pullable: absent };
  } catch (error) {
    return { check: fail('embedder', said(error)), there: false, pullable: false };
  }
}

/** One search through the server that the service would start: it refuses an index that does not fit the settings. */
export async function indexCheck(config: Config, embedderThere: boolean): Promise<Check> {
  const { db, command } = config.search;
  let retriever: Retriever | undefined;
  try {
    retriever = createPipeline(config, silentLogger).retriever;
    const signal = AbortSignal.timeout(60_000);
    const stats = await retriever.stats(signal);
    const { mode } = await retriever.search('warm up', 1, signal);
    return judge(command === undefined ? db : 'another search server', stats, mode, embedderThere);
  } catch (error) {
    if (error instanceof CodedError && error.code === 'not_found') {
      return fail('index', `none at ${db}`, `Make one: askdocs index FOLDER --db ${db}`);
    }
    return fail('index', said(error));
  } finally {
    await retriever?.close();
  }
}

function judge(where: string, stats: Record<string, string>, mode: string, embedderThere: boolean): Check {
  const { chunks = '?', files = '?' } = stats;
  const by = mode === 'lexical' ? ', searched by words alone' : '';
  const found = `${where}: ${chunks} passages of ${files} files${by}`;
  if (chunks === '0') return fail('index', found, 'Index documents: askdocs index FOLDER');
  if (mode === 'lexical' && embedderThere) {
    return warn(
      'index',
      found,
      'It has no vectors: run askdocs index again on the same folder, and search goes by meaning too.',
    );
  }
  return ok('index', found);
}
