/**
 * Brings an index into step with files or records: only what changed is read into passages again, what is gone leaves
 * nothing behind, and readers see the old index until the new one is whole.
 */
import { CodedError } from '../../contract.ts';
import { placed } from './passages.ts';
import { readPlain } from './readers/plain.ts';
import type { TextRecord } from './readers/records.ts';
import { KNOWN_EXTENSIONS } from './readers.ts';
import { add, finish, hashOfRecord, type IndexOptions, type IndexSummary, type Run, writing } from './run.ts';
import { type Cache, takeFiles } from './take.ts';
import { type Walked, type WalkOptions, walk } from './walk.ts';

export type { TextRecord } from './readers/records.ts';
export type { IndexOptions, IndexSummary } from './run.ts';

export interface PathOptions extends IndexOptions, WalkOptions {
  roots: readonly string[];
}

export async function indexPaths(options: PathOptions): Promise<IndexSummary> {
  const started = Date.now();
  const walked = await walk(options.roots, options);
  if (walked.files.length === 0) throw nothingToRead(options.roots, walked);
  return indexWalked(options, walked, { started });
}

export interface WalkedOptions {
  started?: number;
  /** Files that did not change since it was filled are not read again. */
  cache?: Cache;
  /** An index without a source is as good as any other. */
  mayBeEmpty?: boolean;
  /** Nothing is taken out: what was walked is not all there is. */
  keepAll?: boolean;
}

/** The same for what has been found already. */
export async function indexWalked(
  options: PathOptions,
  walked: Walked,
  { started = Date.now(), cache, mayBeEmpty = false, keepAll = false }: WalkedOptions = {},
): Promise<IndexSummary> {
  return writing(options, async (run) => {
    run.skipped.push(...walked.skipped);
    run.total = walked.files.length;
    await takeFiles(run, walked.files, cache);
    if (run.seen.size === 0 && !mayBeEmpty) throw allBroken(options.roots, run);
    if (keepAll) for (const source of run.writer.published.keys()) run.seen.add(source);
    return finish(run, { started, ignored: walked.ignored, leftOut: walked.leftOut });
  });
}

/** The same for records from anywhere, one after the other: nothing but the passages of one is held in memory. */
export async function indexRecords(
  options: IndexOptions & { records: AsyncIterable<TextRecord> | Iterable<TextRecord> },
): Promise<IndexSummary> {
  const started = Date.now();
  return writing(options, async (run) => {
    for await (const record of options.records) {
      if (run.seen.has(record.id)) throw new CodedError('bad_input', `Two records have the id ${record.id}.`);
      await add(run, record.id, hashOfRecord(record), async () =>
        placed({ ...readPlain(record.text), title: record.title, lined: false }, record.id),
      );
    }
    return finish(run, { started, ignored: 0, leftOut: {} });
  });
}

function nothingToRead(roots: readonly string[], { skipped, ignored, leftOut }: Walked): CodedError {
  const where = roots.join(', ');
  const [first] = skipped;
  if (first !== undefined)
    return new CodedError('bad_input', `No file in ${where} could be read; ${first.source}: ${first.reason}.`);
  const left = Object.entries(leftOut).map(([reason, count]) => `${count} ${reason}`);
  const also = left.length === 0 ? '' : ` (left out: ${left.join(', ')})`;
  if (ignored === 0) return new CodedError('bad_input', `There are no files in ${where}${also}.`);
  return new CodedError(
    'bad_input',
    `None of the ${ignored} files in ${where} can be read${also}; askdocs reads ${KNOWN_EXTENSIONS.join(', ')}.`,
  );
}

function allBroken(roots: readonly string[], run: Run): CodedError {
  const [first] = run.skipped;
  return new CodedError(
    'bad_input',
    `No file in ${roots.join(', ')} could be read; ${first?.source}: ${first?.reason}.`,
  );
}
