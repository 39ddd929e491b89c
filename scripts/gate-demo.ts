/**
 * `npm run demo:gate`: the gate on real runs. Asks all demo cases again under five conditions, compares each with the committed baseline,
 * holds each against its floors, and fails unless every break is caught and the rerun is not. Runs land in results/gate-demo/, the
 * transcript in results/gate-demo/transcript.md and docs/evaluation.md.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CheckResult, checkGate } from '../harness/gate/check.ts';
import { verdictLine } from '../harness/gate/check-text.ts';
import { type CompareResult, compareRuns } from '../harness/gate/compare.ts';
import { verdictSentence } from '../harness/gate/compare-text.ts';
import { type LoadedGate, loadGate } from '../harness/gate/config.ts';
import { lexicalJudge } from '../harness/judges/lexical.ts';
import { type RunRecords, readRun, writeAtomic } from '../harness/run.ts';
import { loadConfig } from '../service/config.ts';
import { CodedError } from '../service/contract.ts';
import { silentLogger } from '../service/log.ts';
import { startService } from '../service/serve.ts';
import { HABITS, startDemoModel } from './gate-demo-model.ts';
import { interruptible } from './interrupt.ts';
import { isRepeatable, lexicalEnv, withLexicalIndex } from './live.ts';
import { createProgress, type Progress } from './progress.ts';
import { recordRun } from './record.ts';

const OUT = 'results/gate-demo';
const CORPUS = 'data/corpus';
const DOC = 'docs/evaluation.md';
const MARKS = { begin: '<!-- npm run demo:gate writes from here -->', end: '<!-- to here -->' };

interface Scene {
  name: keyof typeof TITLES;
  env: Record<string, string>;
  /** The model that answers, in place of none. */
  model?: keyof typeof HABITS;
  /** The metrics that must show it: a regression, or a floor missed; none when nothing is wrong. */
  caughtBy: string[];
  /** Which half of the gate must stop it. */
  stoppedBy: 'nothing' | 'both' | 'floors';
}

const TITLES = {
  rerun: 'The same code again',
  'top-k-1': 'One passage in place of five (ASKDOCS_TOP_K=1)',
  'cites-next': 'A model that cites the passage after the right one',
  'cites-out-of-range': 'A model that cites passages that do not exist',
  'gate-off': 'The evidence gate switched off (CRAG_MIN_COSINE=-1), with a model that never refuses',
} as const;

const SCENES: Scene[] = [
  { name: 'rerun', env: {}, caughtBy: [], stoppedBy: 'nothing' },
  { name: 'top-k-1', env: { ASKDOCS_TOP_K: '1' }, caughtBy: ['context_recall', 'key_fact_recall'], stoppedBy: 'both' },
  {
    name: 'cites-next',
    env: {},
    model: 'next-passage',
    caughtBy: ['misattribution', 'citation_precision', 'faithfulness'],
    stoppedBy: 'both',
  },
  {
    name: 'cites-out-of-range',
    env: {},
    model: 'out-of-range',
    caughtBy: ['citation_out_of_range', 'faithfulness'],
    stoppedBy: 'both',
  },
  {
    name: 'gate-off',
    env: { CRAG_MIN_COSINE: '-1' },
    model: 'never-refuses',
    caughtBy: ['wrong_answer'],
    stoppedBy: 'floors',
  },
];

process.exitCode = await interruptible(main);

async function main(signal: AbortSignal): Promise<number> {
  const gate = loadGate('gate.json');
  const baseline = gate.at(gate.config.baselines[0]?.run ?? '');
  const recorded = readRun(baseline);
  if (!isRepeatable(recorded))
    throw new CodedError('bad_input', 'the first baseline of gate.json is not an extractive, lexical run');
  const progress = createProgress();
  const parts: string[] = [];
  let failed = 0;
  await withLexicalIndex(CORPUS, signal, async (db) => {
    for (const scene of SCENES) {
      const dir = join(OUT, scene.name);
      clear(dir);
      await record(scene, dir, db, recorded, signal, progress);
      const judged = judge(scene, dir, gate);
      if (!judged.asWanted) failed += 1;
      parts.push(judged.text);
      process.stdout.write(`${judged.text}\n`);
    }
  });
  progress.end();
  publish(parts.join('\n'));
  process.stdout.write(
    failed === 0 ? 'The gate did as it should in every scene.\n' : `${failed} scene(s) did not go as they should.\n`,
  );
  return failed === 0 ? 0 : 1;
}

/** All but the grades of people: they hold for the same answers, and `agreement score` says when they do not. */
function clear(dir: string): void {
  for (const file of existsSync(dir) ? readdirSync(dir) : [])
    if (!file.startsWith('agreement-')) rmSync(join(dir, file), { recursive: true });
}

/** Beside the runs, and in the documentation between its marks. */
function publish(transcript: string): void {
  writeAtomic(join(OUT, 'transcript.md'), `# The gate on real runs\n\n${transcript}`);
  const doc = existsSync(DOC) ? readFileSync(DOC, 'utf8') : '';
  const [before, after] = [doc.indexOf(MARKS.begin), doc.indexOf(MARKS.end)];
  if (before === -1 || after < before) return;
  const nested = transcript.replace(/^## /gm, '### ');
  writeAtomic(DOC, `${doc.slice(0, before + MARKS.begin.length)}\n\n${nested}\n${doc.slice(after)}`);
}

async function record(
  scene: Scene,
  dir: string,
  db: string,
  recorded: RunRecords,
  signal: AbortSignal,
  progress: Progress,
): Promise<void> {
  const model = scene.model === undefined ? null : await startDemoModel(recorded, HABITS[scene.model]);
  const llm =
    model === null
      ? {}
      : { ASKDOCS_LLM_PROVIDER: 'openai', ASKDOCS_LLM_MODEL: 'demo', ASKDOCS_LLM_BASE_URL: model.url };
  try {
    const service = await startService(loadConfig({ ...lexicalEnv(db), ...llm, ...scene.env }), { log: silentLogger });
    try {
      const { cases, manifest } = recorded;
      const asked = { dir, url: service.url, db, cases, casesPath: manifest.cases.path, judge: lexicalJudge(), signal };
      const onProgress = (done: number, total: number, label: string) =>
        progress.update(done, total, `${scene.name}: ${label}`);
      if (!(await recordRun({ ...asked, onProgress })))
        throw new CodedError('cancelled', 'interrupted; start it again');
    } finally {
      await service.close();
    }
  } finally {
    await model?.close();
  }
}

/** Both halves of the gate: the comparison with the baseline, and the floors held against this run. */
function judge(scene: Scene, dir: string, gate: LoadedGate): { asWanted: boolean; text: string } {
  const [baseline] = gate.config.baselines;
  const { margins, noise } = gate.config;
  const compared = compareRuns({ base: [gate.at(baseline?.run ?? '')], new: [dir], margins, noise, allow: [] });
  const held = {
    ...gate,
    config: { ...gate.config, baselines: [{ run: resolve(dir), floors: baseline?.floors ?? [] }] },
  };
  const checked = checkGate(held, () => []);
  const missed = checked.runs.flatMap(({ rows }) => rows.filter(({ met }) => !met).map(({ name }) => name));
  const worse = compared.metrics.filter(({ judged }) => judged?.verdict === 'REGRESSION').map(({ metric }) => metric);
  const caught = scene.caughtBy.filter((metric) => missed.includes(metric) || worse.includes(metric));
  const stopped = {
    nothing: compared.exit + checked.exit === 0,
    both: compared.exit * checked.exit === 1,
    floors: checked.exit === 1,
  };
  const asWanted = stopped[scene.stoppedBy] && (scene.caughtBy.length === 0 || caught.length > 0);
  return { asWanted, text: sceneText(scene, compared, checked, asWanted) };
}

function sceneText(scene: Scene, compared: CompareResult, checked: CheckResult, asWanted: boolean): string {
  const floors = checked.findings.map(({ message }) => `  - ${message.replace(/^.*?: /, '')}`);
  const moved = compared.metrics
    .filter((item) => scene.caughtBy.includes(item.metric))
    .map((item) => `  - ${item.title}: ${item.base?.toFixed(3)} -> ${item.new?.toFixed(3)}`);
  return [
    `## ${TITLES[scene.name]}`,
    '',
    `- compare (exit ${compared.exit}): ${verdictSentence(compared)}`,
    ...moved,
    ...compared.notes.filter((note) => note.startsWith('Not gated')).map((note) => `  - ${note}`),
    `- check (exit ${checked.exit}): ${verdictLine(checked)}`,
    ...floors,
    `- ${asWanted ? 'As it should be.' : '**Not as it should be.**'}`,
    '',
  ].join('\n');
}
