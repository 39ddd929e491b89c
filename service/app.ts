/** The routes of the service. */
import type { IncomingMessage } from 'node:http';
import { type EventHandler, H3, type H3Event } from 'h3';
import { createAdmission } from './admission.ts';
import { type AskDeps, ask } from './ask.ts';
import { InputError, readJson } from './body.ts';
import type { Limits } from './config.ts';
import {
  askRequestSchema,
  CodedError,
  type Health,
  type Info,
  MAX_K,
  type SearchResponse,
  searchRequestSchema,
} from './contract.ts';
import { describeError, errorEnvelope, failureOf, statusOf } from './errors.ts';
import { mergeByRank } from './retrieve/merge.ts';

export interface AppDeps extends AskDeps {
  limits: Limits;
  health(): Omit<Health, 'in_flight'>;
  /** Throws when index or model do not answer. */
  ready(signal: AbortSignal): Promise<string[]>;
  info(signal: AbortSignal): Promise<Info>;
}

/** Passages that `/search` returns when the request does not say. */
const SEARCH_K = 10;

type Handler = (event: H3Event) => Response | Promise<Response>;

export function createApp(deps: AppDeps): H3 {
  const app = new H3();
  const searches = createAdmission(deps.limits.searches);
  const routes: Record<string, { method: 'GET' | 'POST'; handler: Handler }> = {
    '/ask': { method: 'POST', handler: (event) => handleAsk(event, deps) },
    '/search': { method: 'POST', handler: (event) => handleSearch(event, deps, searches) },
    '/healthz': {
      method: 'GET',
      handler: () => Response.json({ ...deps.health(), in_flight: deps.admission.inFlight() } satisfies Health),
    },
    '/readyz': { method: 'GET', handler: (event) => handleReady(event, deps) },
    '/stats': { method: 'GET', handler: () => Response.json(deps.stats.read()) },
    '/info': { method: 'GET', handler: async (event) => Response.json(await deps.info(event.req.signal)) },
  };
  for (const [path, { method, handler }] of Object.entries(routes)) {
    const allow = method === 'GET' ? 'GET, HEAD' : method;
    const guarded = guard(handler, deps);
    app.all(path, (event) => {
      const given = event.req.method;
      if (given === method || (given === 'HEAD' && method === 'GET')) return guarded(event);
      const error = new CodedError('method_not_allowed', `${path} takes ${allow}, not ${given}.`);
      return failure(error, deps, { allow });
    });
  }
  app.all('/**', (event) => failure(new CodedError('not_found', `There is nothing at ${event.url.pathname}.`), deps));
  return app;
}

async function handleAsk(event: H3Event, deps: AppDeps): Promise<Response> {
  const arrived = performance.now();
  const stream = readStreamFlag(event.url.searchParams.get('stream'));
  const request = await readJson(nodeRequest(event), askRequestSchema, deps.limits);
  return ask(request, stream, deps, event.req.signal, arrived);
}

async function handleSearch(event: H3Event, deps: AppDeps, searches: AskDeps['admission']): Promise<Response> {
  const request = await readJson(nodeRequest(event), searchRequestSchema, deps.limits);
  const lease = searches.acquire();
  const task = deps.work.begin(event.req.signal);
  const started = performance.now();
  try {
    const k = Math.min(MAX_K, request.k ?? SEARCH_K);
    const found = await deps.retriever.search(request.question, k, task.signal);
    const data: SearchResponse = {
      passages: mergeByRank(found.passages, found.below_gate).slice(0, k),
      ungated: found.typed,
      mode: found.mode,
      retrieval_ms: Math.round((performance.now() - started) * 1000) / 1000,
    };
    return Response.json({ success: true, data, error: null });
  } finally {
    task.end();
    lease.release();
  }
}

async function handleReady(event: H3Event, deps: AppDeps): Promise<Response> {
  const problems = await deps.ready(event.req.signal);
  return Response.json({ ready: problems.length === 0, problems }, { status: problems.length === 0 ? 200 : 503 });
}

function readStreamFlag(value: string | null): boolean {
  if (value === null || value === 'true') return true;
  if (value === 'false') return false;
  throw new InputError('stream: must be true or false', [{ path: 'stream', message: 'must be true or false' }]);
}

function nodeRequest(event: H3Event): IncomingMessage {
  const req = event.runtime?.node?.req;
  if (req === undefined) throw new CodedError('internal', 'The service runs on Node only.');
  // The type allows for HTTP/2, which this service does not listen for.
  return req as IncomingMessage;
}

/** Whatever a handler throws becomes an envelope; what was not foreseen stays in the log. */
function guard(handler: Handler, deps: AppDeps): EventHandler {
  return async (event) => {
    try {
      return await handler(event);
    } catch (error) {
      return failure(error, deps);
    }
  };
}

function failure(error: unknown, deps: AppDeps, headers: Record<string, string> = {}): Response {
  const { stage, code, message } = failureOf(error, 'internal');
  const status = statusOf(code);
  if (status >= 500 && code !== 'busy') deps.log.error('request failed', { code, cause: describeError(error) });
  if (code === 'busy') headers['retry-after'] = String(deps.admission.retryAfterSeconds());
  const body = {
    code,
    message,
    ...(code === 'internal' ? { stage } : {}),
    ...(code === 'retrieval_failed' || code === 'timeout' ? { stage: 'retrieval' as const } : {}),
    ...(error instanceof InputError ? { issues: error.issues } : {}),
  };
  return Response.json(errorEnvelope(body), { status, headers });
}
