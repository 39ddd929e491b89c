import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from 'citty';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nameOf, retrievalCommand } from './eval-retrieval.ts';

describe('askdocs eval retrieval', () => {
  let folder: string;
  let out: string;
  let err: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'askdocs-retrieval-'));
    [out, err] = ['', ''];
    vi.stubEnv('ASKDOCS_EMBED_MODEL', 'none');
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      out += String(text);
      return true;
    });
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      err += String(text);
      return true;
    });
    mkdirSync(join(folder, 'fruit'));
    write('fruit/corpus.jsonl', [
      { _id: 'd1', title: 'Apples', text: 'Apples grow on trees in orchards.', metadata: {} },
      { _id: 'd2', title: 'Only bananas', text: '' },
      { _id: 'd3', title: '', text: '' },
    ]);
    write('queries.jsonl', [
      { _id: 'q1', text: 'where do apples grow' },
      { _id: 'q2', text: 'bananas' },
      { _id: 'unjudged', text: 'x' },
    ]);
    writeFileSync(join(folder, 'qrels.tsv'), 'query-id\tcorpus-id\tscore\r\nq1\td1\t1\r\nq2\td2\t1\r\nq9\td1\t1\r\n');
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
    process.exitCode = 0;
  });

  const write = (name: string, lines: object[]) =>
    writeFileSync(join(folder, name), `\uFEFF${lines.map((line) => JSON.stringify(line)).join('\r\n')}\r\n`);
  const run = (...more: string[]) => {
    const files = { corpus: 'fruit/corpus.jsonl', queries: 'queries.jsonl', qrels: 'qrels.tsv', index: 'index' };
    const rawArgs = Object.entries(files).flatMap(([name, file]) => [`--${name}`, join(folder, file)]);
    return runCommand(retrievalCommand, { rawArgs: [...rawArgs, ...more] });
  };

  it('measures a set with a byte order mark, CRLF, a header and documents without text', async () => {
    await run('--run-out', join(folder, 'run.txt'));
    expect(err).toContain('Note: 1 documents have neither title nor text');
    expect(err).toContain('Note: 1 judged queries are left out');
    expect(out).toContain('lexical, 2 queries, 3 documents\n');
    expect(out).toContain('nDCG@10 1.0000 [');
    expect(readFileSync(join(folder, 'run.txt'), 'utf8')).toMatch(/^q1 Q0 d1 1 \S+ askdocs-lexical\n/);
  });

  it('refuses in one sentence judgements of another set, documents with one id, a mode without embedder', async () => {
    await expect(run('--mode', 'dense')).rejects.toThrow('--mode dense needs an embedder. The embedder is turned off');
    writeFileSync(join(folder, 'qrels.tsv'), 'q1 0 x9 1\n');
    await expect(run()).rejects.toThrow('no document that is judged relevant is in the corpus: "x9" is not, for one');
    write('fruit/corpus.jsonl', [
      { _id: 'd1', text: 'a' },
      { _id: 'd1', text: 'b' },
    ]);
    await expect(run()).rejects.toThrow('corpus.jsonl:2: a second document has the id "d1"');
  });

  it('the index of a set is named for it', () => {
    expect(nameOf('/sets/scifact/corpus.jsonl')).toBe('scifact');
    expect(nameOf('/sets/mine.jsonl')).toBe('mine');
  });
});
