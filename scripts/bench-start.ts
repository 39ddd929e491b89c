/**
 * `npm run bench:start [-- --db FILE]`: how long the service takes from its start to ready, and what its first answer costs
 * over later ones, with and without the warm-up. No model: the extractive provider, so that all of it is ours.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { answerableQuestions } from '../loadtest/k6/load.ts';
import { startServiceProcess } from '../loadtest/processes.ts';
import { ASK_MARK, median, timed } from './bench/client.ts';
import { benchIndex } from './bench/plain.ts';

const { values } = parseArgs({
  options: {
    db: { type: 'string' },
    cases: { type: 'string', default: 'cases/demo.jsonl' },
    runs: { type: 'string', default: '5' },
  },
});
const db = benchIndex(values.db);
const questions = answerableQuestions(readFileSync(values.cases, 'utf8'));

for (const warmup of ['true', 'false']) {
  const ready: number[] = [];
  const first: number[] = [];
  const later: number[] = [];
  for (let run = 0; run < Number(values.runs); run += 1) {
    const started = performance.now();
    const service = await startServiceProcess(process.env, {
      ASKDOCS_LLM_PROVIDER: 'extractive',
      ASKDOCS_MCP_DB: db,
      ASKDOCS_WARMUP: warmup,
    });
    ready.push(performance.now() - started);
    try {
      for (let i = 0; i < 20; i += 1) {
        const question = questions[(run * 20 + i) % questions.length];
        const { firstMs } = await timed(`${service.url}/ask`, { question }, ASK_MARK);
        (i === 0 ? first : later).push(firstMs);
      }
    } finally {
      await service.stop();
    }
  }
  const [a, b] = [median(first), median(later)];
  process.stdout.write(
    `warm-up ${warmup === 'true' ? 'on ' : 'off'}: ready after ${Math.round(median(ready))} ms; first answer ${a.toFixed(1)} ms, later ones ${b.toFixed(1)} ms, ratio ${(a / b).toFixed(2)} (medians of ${values.runs} starts)\n`,
  );
}
