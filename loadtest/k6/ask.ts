/**
 * A closed loop for k6 1 or 2: each user asks, reads the answer to its end, pauses, asks the next question. A 503 is
 * expected and waited out by its Retry-After, then the same question is asked again. `npm run loadtest` runs it with
 * what it needs; by hand: `k6 run -e USERS=4 -e DURATION_S=60 loadtest/k6/ask.ts`.
 */
import { sleep } from 'k6';
import { SharedArray } from 'k6/data';
import exec from 'k6/execution';
import http from 'k6/http';
import { Counter, Trend } from 'k6/metrics';
import type { Options } from 'k6/options';
import { answerableQuestions, measuredWindow, questionNumber, retryAfterSeconds, shareInWindow } from './load.ts';
import { readStream, type StreamDone } from './stream.ts';
import { type K6Data, summarize, userMetric } from './summary.ts';

const USERS = Number(__ENV.USERS ?? 4);
const DURATION_S = Number(__ENV.DURATION_S ?? 60);
/** Left out of the rate at either end. */
const EDGE_S = Number(__ENV.EDGE_S ?? 5);
/** Mean pause of a user between an answer and the next question. */
const PAUSE_S = Number(__ENV.PAUSE_S ?? 0);
/** Which question of the list comes first: a sweep goes on where its last point ended. */
const OFFSET = Number(__ENV.OFFSET ?? 0);
const ASK_URL = `${__ENV.ASKDOCS_URL ?? 'http://127.0.0.1:8000'}/ask`;

const questions = new SharedArray('questions', () =>
  answerableQuestions(open(__ENV.CASES ?? '../../cases/demo.jsonl')),
);

const answered = new Counter('askdocs_answered');
const inWindow = new Counter('askdocs_answers_in_window');
const refusedByGate = new Counter('askdocs_refused_by_gate');
const refusedByModel = new Counter('askdocs_refused_by_model');
const rejected = new Counter('askdocs_rejected');
const failed = new Counter('askdocs_failed');
const broken = new Counter('askdocs_broken');
const stillWaiting = new Counter('askdocs_still_waiting');
const ttftMs = new Trend('askdocs_ttft_ms');
const retrievalMs = new Trend('askdocs_retrieval_ms');
const answerMs = new Trend('askdocs_answer_ms');
const waitMs = new Trend('askdocs_wait_ms');
const promptTokens = new Trend('askdocs_prompt_tokens');
const cachedTokens = new Trend('askdocs_cached_tokens');
const completionTokens = new Trend('askdocs_completion_tokens');

export const options: Options = {
  scenarios: {
    ask: { executor: 'constant-vus', vus: USERS, duration: `${DURATION_S}s`, gracefulStop: '120s' },
  },
  thresholds: {
    askdocs_broken: ['count==0'],
    askdocs_failed: ['count==0'],
    // Always met: naming it here is what makes k6 keep the numbers of each user apart.
    ...Object.fromEntries(Array.from({ length: USERS }, (_, i) => [userMetric(i + 1), ['max>=0']])),
  },
  summaryTrendStats: ['count', 'avg', 'med', 'p(95)', 'max'],
};

http.setResponseCallback(http.expectedStatuses(200, 503));

export default function askOnce(): void {
  const user = exec.vu.idInTest;
  // Not all in the same instant: their retries would come in the same instants as well.
  if (exec.vu.iterationInScenario === 0) sleep((user - 1) / USERS);
  const question = questions[(OFFSET + questionNumber(user, exec.vu.iterationInScenario, USERS)) % questions.length];
  const firstTry = Date.now();
  if (!askUntilAnswered(JSON.stringify({ question }), endOfTest())) stillWaiting.add(1);
  // Who was never answered waited at least so long; left out, the one who starves would look best.
  waitMs.add(Date.now() - firstTry, { user: String(user) });
  if (PAUSE_S > 0) sleep(PAUSE_S * (0.5 + Math.random()));
}

/** False when the test was over before a slot was free. */
function askUntilAnswered(body: string, end: number): boolean {
  for (;;) {
    const sent = Date.now();
    const response = http.post(ASK_URL, body, {
      headers: { 'content-type': 'application/json' },
      timeout: '300s',
    });
    if (response.status !== 503) {
      record(response.status, typeof response.body === 'string' ? response.body : '', sent);
      return true;
    }
    rejected.add(1);
    sleep(retryAfterSeconds(response.headers['Retry-After'], Math.random));
    if (Date.now() >= end) return false;
  }
}

function record(status: number, body: string, sent: number): void {
  const now = Date.now();
  if (status !== 200) {
    console.error(`status ${status}: ${body.slice(0, 200)}`);
    failed.add(1);
    return;
  }
  const stream = readStream(body);
  if (stream.end !== 'done') {
    console.error(`${stream.end}: ${stream.message}`);
    (stream.end === 'error' ? failed : broken).add(1);
    return;
  }
  answered.add(1);
  inWindow.add(shareInWindow(sent, now, measuredWindow(exec.scenario.startTime, DURATION_S * 1000, EDGE_S * 1000)));
  answerMs.add(now - sent);
  recordDone(stream.done);
}

function recordDone({ refusal, usage, timings }: StreamDone): void {
  if (refusal === 'gate') refusedByGate.add(1);
  if (refusal === 'model') refusedByModel.add(1);
  retrievalMs.add(timings.retrieval_ms);
  if (timings.ttft_ms !== null) ttftMs.add(timings.ttft_ms);
  if (usage === null) return;
  promptTokens.add(usage.prompt_tokens);
  cachedTokens.add(usage.cached_tokens ?? 0);
  completionTokens.add(usage.completion_tokens);
}

function endOfTest(): number {
  return exec.scenario.startTime + DURATION_S * 1000;
}

export function handleSummary(data: K6Data): Record<string, string> {
  const summary = summarize(data, USERS, DURATION_S - 2 * EDGE_S);
  const rate = (summary.answersInWindow / summary.windowS).toFixed(3);
  const line = `${USERS} users: ${rate} answers/s, ${summary.rejected} rejected, ${summary.failed + summary.broken} failed\n`;
  const file = __ENV.SUMMARY;
  return file === undefined ? { stdout: line } : { stdout: line, [file]: JSON.stringify(summary, null, 2) };
}
