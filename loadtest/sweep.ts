/** Runs the points of a sweep one after another, each against a service (and a stand-in) started for it. */
import { infoSchema } from '../service/contract.ts';
import { answerableQuestions } from './k6/load.ts';
import type { K6 } from './k6-program.ts';
import { runPoint } from './point.ts';
import { type Environment, type Running, startServiceProcess, startStandInProcess } from './processes.ts';
import type { Point, PointSummary, ServerView } from './result.ts';
import { readStandInLog, viewOf } from './server-view.ts';
import type { Rates } from './stand-in/engine.ts';
import { theoreticalRate } from './theory.ts';

export interface PlannedPoint {
  users: number;
  limit: number;
  pauseS: number;
}

export interface Target {
  /** Without `/v1`; undefined: a stand-in is started for each point, so that none finds the cache of another. */
  root: string | undefined;
  slots: number;
  rates: Rates;
  /** Options of the stand-in's process. */
  standIn: Record<string, number>;
}

export interface SweepOptions {
  k6: K6;
  target: Target;
  points: readonly PlannedPoint[];
  environment: Environment;
  /** Settings of the service under test. */
  settings: Record<string, string>;
  cases: { path: string; text: string };
  durationS: number;
  edgeS: number;
  /** Asked before those that count: the first answers of a process cost several times what later ones do. */
  warmUpQuestions: number;
  signal: AbortSignal;
  onPoint: (index: number, point: PlannedPoint) => void;
}

export interface SweepResult {
  points: Point[];
  /** As the service describes them. */
  retrieval: string;
  topK: number;
}

export async function runSweep(options: SweepOptions): Promise<SweepResult> {
  const questions = answerableQuestions(options.cases.text).length;
  const result: SweepResult = { points: [], retrieval: 'unknown', topK: 0 };
  let asked = 0;
  for (const [index, planned] of options.points.entries()) {
    options.onPoint(index, planned);
    const { summary, server, retrieval } = await runOne(options, planned, asked % questions);
    // A real server remembers prompts: the next point asks other questions as long as there are any.
    if (options.target.root !== undefined) asked += summary.answered;
    result.points.push(toPoint(planned, summary, server, options.target));
    Object.assign(result, { retrieval: retrieval.mode, topK: retrieval.top_k });
  }
  return result;
}

/** Where the limit is swept, users stay at the most; where not, the limit is the slots. */
export function planPoints(users: readonly number[], limits: readonly number[], slots: number, pauseS: number) {
  const most = Math.max(...users);
  const pairs =
    limits.length === 0 ? users.map((n) => [n, slots] as const) : limits.map((limit) => [most, limit] as const);
  return pairs.map(([n, limit]): PlannedPoint => ({ users: n, limit, pauseS: n > limit ? pauseS : 0 }));
}

export function toPoint(planned: PlannedPoint, k6: PointSummary, server: ServerView | null, target: Target): Point {
  const { promptTokens, cachedTokens, completionTokens } = k6;
  const busy = Math.min(planned.users, planned.limit, target.slots);
  const theory =
    promptTokens === null || completionTokens === null
      ? null
      : theoreticalRate(
          target.rates,
          { evaluated: promptTokens - (cachedTokens ?? 0), completion: completionTokens },
          busy,
        );
  return { ...planned, answersPerS: k6.answersInWindow / k6.windowS, theoryPerS: theory, k6, server };
}

/** What goes wrong here goes wrong for k6 too, which tells it. */
export async function warmUp(serviceUrl: string, questions: number, signal: AbortSignal): Promise<void> {
  for (let n = 1; n <= questions && !signal.aborted; n++) {
    const body = JSON.stringify({ question: `What is said about warm-up number ${n}?` });
    const headers = { 'content-type': 'application/json' };
    const asked = fetch(`${serviceUrl}/ask`, { method: 'POST', headers, body, signal });
    await asked.then((response) => response.text()).catch(() => undefined);
  }
}

async function runOne(options: SweepOptions, { users, limit, pauseS }: PlannedPoint, offset: number) {
  const { target, k6, durationS, edgeS, warmUpQuestions, signal } = options;
  const standIn = target.root === undefined ? await startStandInProcess(target.standIn) : undefined;
  let service: Running | undefined;
  try {
    const root = standIn?.url ?? target.root;
    service = await startServiceProcess(options.environment, {
      ...options.settings,
      ASKDOCS_LLM_BASE_URL: `${root}/v1`,
      ASKDOCS_MAX_CONCURRENT: String(limit),
    });
    const { retrieval } = infoSchema.parse(await (await fetch(`${service.url}/info`)).json());
    await warmUp(service.url, warmUpQuestions, signal);
    const before = standIn === undefined ? 0 : (await readStandInLog(standIn.url)).length;
    const point = { k6, serviceUrl: service.url, cases: options.cases.path, users, durationS, edgeS, pauseS, offset };
    const summary = await runPoint({ ...point, signal });
    const server = standIn === undefined ? null : viewOf((await readStandInLog(standIn.url)).slice(before));
    return { summary, server, retrieval };
  } finally {
    await service?.stop();
    await standIn?.stop();
  }
}
