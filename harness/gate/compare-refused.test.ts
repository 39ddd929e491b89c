import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isSealIntact, RUN_FILES, sealed, sealOf } from '../run.ts';
import { verdictSentence } from './compare-text.ts';
import { comparing, metric } from './testing/comparing.ts';
import { someCases } from './testing/run-folder.ts';

const { run, compare, folder } = comparing();

describe('what cannot be compared is refused, unless allowed', () => {
  test('other cases', async () => {
    const cases = someCases().map((item) => (item.id === 'part-3' ? { ...item, question: 'Another question?' } : item));
    const [a, b] = [await run(), await run({ cases })];
    const refused = compare([a], [b]);
    expect(refused).toMatchObject({ verdict: 'INVALID', exit: 3, metrics: [] });
    expect(verdictSentence(refused)).toContain(
      'the sides were asked different cases: part-3; --allow cases compares all the same',
    );
    const allowed = compare([a], [b], { allow: ['cases'] });
    expect(allowed.verdict).toBe('IDENTICAL');
    expect(allowed.notes).toContain('Allowed: the sides were asked different cases: part-3.');
    expect(metric(allowed, 'key_fact_recall').unpaired).toEqual([{ id: 'part-3', scored: 'base' }]);
    expect(metric(allowed, 'key_fact_recall').comparison?.n).toBe(13);
  });
  test('another corpus', async () => {
    const other = await run({ manifest: (m) => ({ ...m, corpus: { ...m.corpus, hash: 'f'.repeat(32) } }) });
    expect(verdictSentence(compare([await run()], [other]))).toContain(
      'the indexed documents or the settings of the index',
    );
    expect(compare([await run()], [other], { allow: ['corpus'] }).verdict).toBe('IDENTICAL');
  });
  test('other passages of the same documents; not another gate, which is what one compares', async () => {
    const withStats = (stats: Record<string, string>) =>
      run({
        manifest: (m) => ({ ...m, corpus: { ...m.corpus, hash: null, stats: { files: '9', chunker: '1', ...stats } } }),
      });
    const base = await withStats({});
    expect(verdictSentence(compare([base], [await withStats({ chunker: '2' })]))).toContain(
      'the settings of the index',
    );
    expect(compare([base], [await withStats({ gate: 'off', mode: 'hybrid', dim: '384' })]).verdict).toBe('IDENTICAL');
  });
  test('another judge', async () => {
    const other = await run({ judge: false });
    const path = join(other, RUN_FILES.manifest);
    const judges = [{ name: 'x', model: 'x', prompt_hash: '1'.repeat(32), settings: {}, fingerprint: '2'.repeat(32) }];
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    // No verdict of it is there, so the seal is that of nothing.
    writeFileSync(path, JSON.stringify({ ...manifest, judges, seals: { ...manifest.seals, verdicts: sealOf([]) } }));
    expect(verdictSentence(compare([await run()], [other]))).toContain('the judge (its model, prompt or settings)');
    // Allowed, the answers that nobody judged are still missing pairs.
    expect(verdictSentence(compare([await run()], [other], { allow: ['judge'] }))).toContain(
      'faithfulness: no case has a score on both sides',
    );
  });
  test('repetitions that are none', async () => {
    const other = await run({ manifest: (m) => ({ ...m, service: { ...m.service, settings: { top_k: 1 } } }) });
    const result = compare([await run(), other], [await run()]);
    expect(verdictSentence(result)).toContain(
      'the runs of the base side have different services, so they are no repetitions',
    );
    expect(compare([await run(), other], [await run()], { allow: ['mixed'] }).verdict).toBe('IDENTICAL');
  });
  test('an empty side, a folder that is none, a record that was edited', async () => {
    const good = await run();
    expect(verdictSentence(compare([good], []))).toContain('the new side names no run');
    expect(verdictSentence(compare([], [good]))).toContain('the base side names no run');
    expect(verdictSentence(compare([good], [join(folder(), 'none')]))).toContain('none: is not a run folder');
    const path = join(good, RUN_FILES.answers);
    writeFileSync(path, readFileSync(path, 'utf8').replace('30 seconds', '31 seconds'));
    expect(compare([good], [await run()])).toMatchObject({ exit: 3, verdict: 'INVALID' });
  });
});

test('a case without verdicts on one side is a missing pair: INVALID', async () => {
  const [a, b] = [await run(), await run()];
  const path = join(b, RUN_FILES.verdicts);
  const verdicts = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(verdicts.every(isSealIntact)).toBe(true);
  const unjudged = verdicts.map(({ hash, ...rest }) =>
    rest.case_id === 'part-2'
      ? sealed({ ...rest, status: 'unjudged', supported: null, score: null, reason: 'timeout' })
      : { ...rest, hash },
  );
  writeFileSync(path, unjudged.map((item) => `${JSON.stringify(item)}\n`).join(''));
  const manifestPath = join(b, RUN_FILES.manifest);
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'));
  writeFileSync(
    manifestPath,
    JSON.stringify({ ...manifest, seals: { ...manifest.seals, verdicts: sealOf(unjudged) } }),
  );
  const result = compare([a], [b]);
  expect(verdictSentence(result)).toBe(
    'INVALID: faithfulness: 1 cases have an answer but no verdict on one side: part-2.',
  );
  expect(result.notes).toContain('1 citations of the new side have no verdict; they are left out of faithfulness.');
});
