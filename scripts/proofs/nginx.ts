/** Streams through a real nginx, with default settings, two of them, and as documented: pieces, silence, leaving, refusals. */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chunkText, doneText, llmStandIn, startStream, usageText } from '../../service/testing/llm-stand-in.ts';
import { startDocumentedNginx } from './nginx-documented.ts';
import { nginxVersion, startNginx } from './nginx-server.ts';
import { keep, startProofService } from './setup.ts';

/** What the model does is in the question. */
const PIECES = 30;
const PIECE_MS = 100;
/** nginx gives up on a silent upstream after 60 s. */
const SILENCE_MS = 75_000;

interface Arrival {
  event: string;
  at: number;
}

export async function proveNginx(): Promise<boolean> {
  // The documented settings have TLS, here with a certificate that nobody vouches for.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const lines = [nginxVersion(), ''];
  const held: boolean[] = [];
  const say = (name: string, holds: boolean, shown: string) => {
    held.push(holds);
    lines.push(`${holds ? 'ok  ' : 'FAIL'} ${name}: ${shown}`);
    console.error(`${Math.round(performance.now() / 1000)} s  ${lines.at(-1)}`);
  };
  const model = await startModel();
  const env = {
    ASKDOCS_LLM_PROVIDER: 'llamacpp',
    ASKDOCS_LLM_BASE_URL: model.url,
    ASKDOCS_LLM_READ_TIMEOUT_S: '120',
    ASKDOCS_MAX_CONCURRENT: '3',
    ASKDOCS_ALLOWED_HOSTS: 'docs.example.org',
  };
  const service = await startProofService(env);
  const quiet = await startProofService(env, { heartbeatMs: 600_000 });
  const one = await startNginx(service.url);
  const two = await startNginx(one.url);
  const quietOne = await startNginx(quiet.url);
  const shown = await startDocumentedNginx(service.url);
  const ways = { direct: service.url, 'one nginx': one.url, 'two nginx': two.url, 'docs/deploy/nginx.conf': shown.url };
  try {
    for (const [way, url] of Object.entries(ways)) await provePieces(way, url, say);
    for (const [way, url] of Object.entries(ways)) await proveLeaving(way, url, model, say);
    await proveRefusals('two nginx', two.url, say);
    await proveRefusals('docs/deploy/nginx.conf', shown.url, say);
    await proveDocumented(shown.url, say);
    await Promise.all([
      proveSilence('one nginx', one.url, true, say),
      proveSilence('two nginx', two.url, true, say),
      proveSilence('docs/deploy/nginx.conf', shown.url, true, say),
      proveSilence('one nginx, and a service without heartbeat (must be cut)', quietOne.url, false, say),
    ]);
    await proveRate(shown.url, say);
    keep('nginx', lines.join('\n'));
    return held.every(Boolean);
  } finally {
    for (const nginx of [shown, quietOne, two, one]) nginx.close();
    await Promise.all([service.close(), quiet.close()]);
    await model.close();
  }
}

type Say = (name: string, holds: boolean, shown: string) => void;

/** A model that writes a piece every 100 ms, or is silent first where the question says so. */
function startModel() {
  return llmStandIn(async (res, seen) => {
    const asked = seen.body.messages?.at(-1)?.content ?? '';
    startStream(res);
    if (asked.includes('(silence)')) await pingFor(res, SILENCE_MS);
    const pieces = asked.includes('(endless)') ? 10_000 : PIECES;
    for (let i = 0; i < pieces && !res.destroyed; i += 1) {
      res.write(chunkText(`piece ${i} `));
      await sleep(PIECE_MS);
    }
    res.end(chunkText('[1]') + chunkText(null, 'stop') + usageText + doneText);
  });
}

/** As llama.cpp does while it evaluates a long prompt. */
async function pingFor(res: Parameters<typeof startStream>[0], ms: number): Promise<void> {
  for (let waited = 0; waited < ms && !res.destroyed; waited += 1000) {
    res.write(': ping\n\n');
    await sleep(1000);
  }
}

async function provePieces(way: string, url: string, say: Say): Promise<void> {
  const started = performance.now();
  const response = await ask(url, 'pieces');
  const headersMs = performance.now() - started;
  const arrivals = await read(response);
  const tokens = arrivals.filter(({ event }) => event === 'token').map(({ at }) => at);
  const gaps = tokens.slice(1).map((at, i) => at - (tokens[i] ?? 0));
  const longest = Math.max(...gaps.slice(0, -1));
  const spread = (tokens.at(-1) ?? 0) - (tokens[0] ?? 0);
  const ends = arrivals.filter(({ event }) => event === 'done' || event === 'error').length;
  say(
    `pieces, ${way}`,
    tokens.length === PIECES + 1 && longest < 6 * PIECE_MS && spread > 0.8 * PIECES * PIECE_MS && ends === 1,
    `${tokens.length} pieces over ${Math.round(spread)} ms, longest gap ${Math.round(longest)} ms, headers after ${Math.round(headersMs)} ms, ${ends} end`,
  );
}

async function proveLeaving(way: string, url: string, model: { open(): number }, say: Say): Promise<void> {
  const left = new AbortController();
  const response = await ask(url, 'endless', left.signal);
  const reading = read(response).catch(() => undefined);
  await sleep(500);
  const before = model.open();
  const at = performance.now();
  left.abort();
  while (model.open() > 0 && performance.now() - at < 5000) await sleep(1);
  const ms = performance.now() - at;
  await reading;
  say(`leaving, ${way}`, before === 1 && model.open() === 0, `the model's server was left after ${Math.round(ms)} ms`);
}

async function proveRefusals(way: string, url: string, say: Say): Promise<void> {
  const left = new AbortController();
  const busy = [1, 2, 3].map(() => ask(url, 'endless', left.signal).then(read, () => undefined));
  await sleep(500);
  const response = await ask(url, 'pieces');
  const { status } = response;
  say(`all slots taken, ${way}`, status === 503, `${status}, Retry-After ${response.headers.get('retry-after')}`);
  await response.body?.cancel();
  left.abort();
  await Promise.all(busy.map((each) => each.catch(() => undefined)));
  const id = (await fetch(`${url}/healthz`, { headers: { 'x-request-id': 'from-afar' } })).headers.get('x-request-id');
  // The documented settings give every request a name of nginx's own, for its log and the service's.
  const named = way.startsWith('docs') ? /^[0-9a-f]{32}$/.test(String(id)) : id === 'from-afar';
  say(`request id, ${way}`, named, String(id));
  await sleep(300);
}

/** What only those settings do; curl, for it can call a name that no server knows. */
async function proveDocumented(url: string, say: Say): Promise<void> {
  const curl = (name: string, path: string, ...more: string[]) => statuses(url, name, path, more);
  const known = await curl('docs.example.org', '/healthz');
  const other = await curl('other.example.org', '/healthz');
  const names = known === '200' && other === '403';
  say('names, docs/deploy/nginx.conf', names, `docs.example.org ${known}, any other ${other}`);
  // Larger than a chat client's body may be, and too large for an argument.
  const large = await curl('docs.example.org', '/ask', '-X', 'POST', '-T', 'cases/judge-pairs.jsonl', '-H', 'expect:');
  say('a body that is too large, docs/deploy/nginx.conf', large === '413', large);
}

/** The last of all: who asked so often is refused for a while. */
async function proveRate(url: string, say: Say): Promise<void> {
  const codes = (await statuses(url, 'docs.example.org', '/healthz?[1-120]')).split(' ');
  const refused = codes.filter((code) => code === '429').length;
  say(
    '120 requests at once, docs/deploy/nginx.conf',
    refused > 0 && codes[0] === '200',
    `${refused} answered with 429`,
  );
}

/** The status of each request, by a name that leads to this machine. */
async function statuses(url: string, name: string, path: string, more: readonly string[] = []): Promise<string> {
  const { port } = new URL(url);
  const to = ['--resolve', `${name}:${port}:127.0.0.1`, `https://${name}:${port}${path}`];
  const args = ['-sk', '-o', '/dev/null', '-w', '%{http_code} ', ...more, ...to];
  return (await promisify(execFile)('curl', args)).stdout.trim();
}

async function proveSilence(way: string, url: string, whole: boolean, say: Say): Promise<void> {
  const started = performance.now();
  const arrivals = await ask(url, 'silence').then(read, () => []);
  const seconds = Math.round((performance.now() - started) / 1000);
  const end = arrivals.findLast(({ event }) => event !== 'ping')?.event ?? 'nothing';
  const pings = arrivals.filter(({ event }) => event === 'ping').map(({ at }) => at);
  const late = Math.max(0, ...pings.slice(1).map((at, i) => Math.abs(at - (pings[i] ?? 0) - 15_000)));
  say(
    `${SILENCE_MS / 1000} s of silence, ${way}`,
    whole ? end === 'done' && late < 2000 : end !== 'done',
    `${pings.length} heartbeats, at most ${Math.round(late)} ms off, ended with ${end} after ${seconds} s`,
  );
}

/** A question that clears the gate, with the word that tells the model what to do. */
function ask(url: string, word: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question: `Is the slot free when a client leaves in the middle of an answer? (${word})` }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** When each event came, to the end of the stream, however it ends. */
async function read(response: Response): Promise<Arrival[]> {
  const arrivals: Arrival[] = [];
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = block.startsWith(': ping') ? 'ping' : /^event: (\w+)/.exec(block)?.[1];
        if (event !== undefined) arrivals.push({ event, at: performance.now() });
      }
    }
  } catch {
    // A cut connection: what came counts.
  }
  return arrivals;
}
