/** `npm run bench:telemetry`: what a trace costs an answer, in microseconds: the pipeline in-process, traces off and on in turns. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdmission } from '../service/admission.ts';
import { type AskDeps, collectAnswer, openAnswer } from '../service/ask.ts';
import { LIMITS, loadConfig } from '../service/config.ts';
import { createExtractive } from '../service/generate/extractive.ts';
import { silentLogger } from '../service/log.ts';
import type { Retriever } from '../service/retrieve/client.ts';
import { createStats } from '../service/stats.ts';
import { createTelemetry, noTelemetry, type Telemetry } from '../service/telemetry.ts';
import { createWork } from '../service/work.ts';
import { atMost, printGoals } from './bench/goals.ts';

const ROUNDS = 20;
const ANSWERS = 300;
const SPANS = 5;
const left = new AbortController().signal;

let received = 0;
const collector = createServer((req, res) => {
  let body = '';
  req.on('data', (chunk) => {
    body += chunk;
  });
  req.on('end', () => {
    received += body.split('"spanId"').length - 1;
    res.end('{}');
  });
});
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
const config = loadConfig({ ASKDOCS_OTEL_ENDPOINT: endpoint });
const telemetry = await createTelemetry(config, silentLogger);
const [off, on] = [depsWith(noTelemetry), depsWith(telemetry)];
await round(off);
await round(on);
const times = { off: [] as number[], on: [] as number[] };
for (let i = 0; i < ROUNDS; i += 1) {
  times.off.push(await round(off));
  times.on.push(await round(on));
}
await telemetry.close();
collector.close();
const [without, withTraces] = [median(times.off), median(times.on)];
const differences = times.on.map((time, i) => time - (times.off[i] ?? 0));
console.log(
  [
    `${ROUNDS} rounds of ${ANSWERS} answers each way, in turns; ${availableParallelism()} cores, ${process.platform} ${process.arch}, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`,
    `traces off: ${without.toFixed(0)} µs of processor time an answer (median of the rounds)`,
    `traces on:  ${withTraces.toFixed(0)} µs (${SPANS} spans each, all sent and received; the collector's own part included)`,
    `cost:       ${median(differences).toFixed(0)} µs an answer (median of the paired differences)`,
  ].join('\n'),
);
if (!printGoals([atMost('processor time of a trace, ms an answer', median(differences) / 1000, 0.3)]))
  process.exitCode = 1;

/** Microseconds of processor time an answer: other work on the machine does not count. */
async function round(deps: AskDeps): Promise<number> {
  const expected = received + (deps.telemetry === noTelemetry ? 0 : ANSWERS * SPANS);
  const before = process.cpuUsage();
  for (let i = 0; i < ANSWERS; i += 1) {
    const caller = { route: 'POST /ask', requestId: String(i), left, arrived: performance.now() };
    await collectAnswer(openAnswer({ question: 'What is the default of bodyLimit?' }, deps, caller));
    // As between requests: the exporter gets its turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  // Sending them is part of the price.
  while (received < expected) await sleep(20);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / ANSWERS;
}

function depsWith(traces: Telemetry): AskDeps {
  return {
    retriever: retriever(),
    provider: createExtractive(),
    topK: 5,
    prices: { input: 0, output: 0 },
    log: silentLogger,
    admission: createAdmission(1),
    stats: createStats(),
    work: createWork(),
    telemetry: traces,
    logQuestions: false,
    limits: LIMITS,
  };
}

/** One passage at once: what is measured is the trace, not the search. */
function retriever(): Retriever {
  const passage = {
    source: 'server.md',
    title: 'Server',
    heading: ['bodyLimit'],
    start: 0,
    end: 60,
    cosine: 0.6,
    bm25: 8,
    fusion: 1,
    text: 'The default of bodyLimit is 1048576 bytes, which is 1 MiB.',
  };
  const found = { passages: [passage], below_gate: [], mode: 'hybrid' as const, note: null, typed: true };
  return { search: async () => found, stats: async () => ({}), pid: () => undefined, close: async () => undefined };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
