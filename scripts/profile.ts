/**
 * `npx tsx scripts/profile.ts [--seconds 20] [--answer-tokens 60] [--db FILE]`: a CPU profile of the service at work. Four
 * clients ask without pause, and the stand-in answers as fast as it can, so that what is left is ours. Prints where the time
 * went; --keep DIR keeps the profile for a viewer.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { answerableQuestions } from '../loadtest/k6/load.ts';
import { startServiceProcess, startStandInProcess } from '../loadtest/processes.ts';
import { ASK_MARK, timed } from './bench/client.ts';
import { benchIndex } from './bench/plain.ts';
import { type ProfileShares, readProfile } from './bench/profile-read.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    'answer-tokens': { type: 'string', default: '60' },
    db: { type: 'string' },
    cases: { type: 'string', default: 'cases/demo.jsonl' },
    keep: { type: 'string' },
  },
});
const db = benchIndex(values.db);
const SLOTS = 4;
const questions = answerableQuestions(readFileSync(values.cases, 'utf8'));
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'askdocs-profile-'));

const standIn = await startStandInProcess({
  slots: SLOTS,
  'prefill-per-second': 10_000_000,
  'step-ms': 0,
  'slot-ms': 0,
  'answer-tokens': Number(values['answer-tokens']),
});
const settings = {
  ASKDOCS_LLM_PROVIDER: 'llamacpp',
  ASKDOCS_LLM_BASE_URL: `${standIn.url}/v1`,
  ASKDOCS_LLM_MAX_TOKENS: '4000',
  ASKDOCS_MAX_CONCURRENT: String(SLOTS),
  ASKDOCS_MCP_DB: db,
  CRAG_MIN_COSINE: '-1',
};
const service = await startServiceProcess(process.env, settings, ['--cpu-prof', `--cpu-prof-dir=${folder}`]);
const load = await ask(Number(values.seconds) * 1000);
await service.stop();
await standIn.stop();
print(readProfile(readFileSync(largestIn(folder), 'utf8')), load);
if (values.keep === undefined) rmSync(folder, { recursive: true });

async function ask(ms: number): Promise<{ answers: number; tokens: number; seconds: number }> {
  const started = performance.now();
  let asked = 0;
  let answers = 0;
  let tokens = 0;
  const client = async () => {
    while (performance.now() - started < ms) {
      const question = questions[asked++ % questions.length];
      const answer = await timed(`${service.url}/ask`, { question }, ASK_MARK);
      answers += answer.status === 200 ? 1 : 0;
      tokens += answer.tokens;
    }
  };
  await Promise.all(Array.from({ length: SLOTS }, client));
  return { answers, tokens, seconds: (performance.now() - started) / 1000 };
}

/** The main thread's; the loader's threads leave small ones beside it. */
function largestIn(dir: string): string {
  const files = readdirSync(dir).filter((name) => name.endsWith('.cpuprofile'));
  const [largest] = files.map((name) => join(dir, name)).sort((a, b) => statSync(b).size - statSync(a).size);
  if (largest === undefined) throw new Error(`no profile was written to ${dir}`);
  return largest;
}

function print(
  { busySeconds, self, within }: ProfileShares,
  { answers, tokens, seconds }: Awaited<ReturnType<typeof ask>>,
): void {
  const lines = (list: [string, number][], count: number) =>
    list.slice(0, count).map(([name, share]) => `  ${(100 * share).toFixed(1).padStart(5)}%  ${name}`);
  const rate = `${(answers / seconds).toFixed(1)} answers and ${Math.round(tokens / seconds)} tokens a second`;
  const text = [
    `${rate}; busy ${busySeconds.toFixed(1)} s since the start, start included.`,
    'in the part itself',
    ...lines(self, 15),
    'in a function of ours, with all it calls',
    ...lines(within, 25),
  ];
  process.stdout.write(`${text.join('\n')}\n`);
}
