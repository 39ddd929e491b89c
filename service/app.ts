/** The routes of the service. */
import { H3, type H3Event } from 'h3';
import { type Access, createAccess } from './access.ts';
import { createAdmission } from './admission.ts';
import { mcpRoutes } from './api/mcp.ts';
import { openaiRoutes } from './api/openai.ts';
import { openApiDocument } from './api/openapi.ts';
import { type AskDeps, ask } from './ask.ts';
import { InputError, readJson } from './body.ts';
import type { AccessConfig, Limits } from './config.ts';
import {
  askRequestSchema,
  CodedError,
  type Health,
  type Info,
  MAX_K,
  type Ready,
  type SearchRequest,
  type SearchResponse,
  searchRequestSchema,
} from './contract.ts';
import type { Metrics } from './metrics.ts';
import { mergeByRank } from './retrieve/merge.ts';
import { callerOf, failure, mountRoutes, nodeRequest, type Route } from './routes.ts';
import { pageRoutes } from './web/page.ts';

export interface AppDeps extends AskDeps {
  limits: Limits;
  host: string;
  accessConfig: AccessConfig;
  metrics: Metrics;
  health(): Omit<Health, 'in_flight'>;
  /** One sentence for each part that does not answer. */
  ready(): Promise<string[]>;
  info(signal: AbortSignal): Promise<Info>;
}

/** Passages that `/search` returns when the request does not say. */
const SEARCH_K = 10;

/** Ranked passages without a model, for whoever asks. */
export type Search = (request: SearchRequest, left: AbortSignal) => Promise<SearchResponse>;

export function createApp(deps: AppDeps): H3 {
  // A path that cannot be decoded is one that does not exist, and gets the same answer.
  const app = new H3({ allowMalformedURL: true });
  const access = createAccess(deps.host, deps.accessConfig, (error) => failure(error, deps));
  app.use(access.middleware);
  mountRoutes(app, serviceRoutes(deps, access), { ...deps, access });
  app.all('/**', (event) => failure(new CodedError('not_found', `There is nothing at ${event.url.pathname}.`), deps));
  return app;
}

/** Every path there is. */
export function serviceRoutes(deps: AppDeps, access: Access): Record<string, Route> {
  const search = createSearch(deps);
  const document = openApiDocument(deps.accessConfig.keys.length > 0);
  return {
    '/ask': { methods: { POST: (event) => handleAsk(event, deps) } },
    '/search': { methods: { POST: (event) => handleSearch(event, deps, search) } },
    '/healthz': {
      open: true,
      methods: {
        GET: () => Response.json({ ...deps.health(), in_flight: deps.admission.inFlight() } satisfies Health),
      },
    },
    '/readyz': { open: true, methods: { GET: () => handleReady(deps) } },
    '/stats': { methods: { GET: () => Response.json(deps.stats.read()) } },
    '/info': { methods: { GET: async (event) => Response.json(await deps.info(event.req.signal)) } },
    '/metrics': { methods: { GET: () => deps.metrics.respond() } },
    '/openapi.json': { open: true, methods: { GET: () => Response.json(document) } },
    ...openaiRoutes(deps),
    ...mcpRoutes({ ...deps, search }, access),
    ...pageRoutes(),
  };
}

async function handleAsk(event: H3Event, deps: AppDeps): Promise<Response> {
  const arrived = performance.now();
  const stream = readStreamFlag(event.url.searchParams.get('stream'));
  const request = await readJson(nodeRequest(event), askRequestSchema, deps.limits);
  return ask(request, stream, deps, callerOf(event, 'POST /ask', arrived));
}

async function handleSearch(event: H3Event, deps: AppDeps, search: Search): Promise<Response> {
  const request = await readJson(nodeRequest(event), searchRequestSchema, deps.limits);
  const data = await search(request, event.req.signal);
  return Response.json({ success: true, data, error: null });
}

function createSearch(deps: AppDeps): Search {
  const searches = createAdmission(deps.limits.searches);
  return async (request, left) => {
    const lease = searches.acquire();
    const task = deps.work.begin(left);
    const started = performance.now();
    try {
      const k = Math.min(MAX_K, request.k ?? SEARCH_K);
      const found = await deps.retriever.search(request.question, k, task.signal);
      return {
        passages: mergeByRank(found.passages, found.below_gate).slice(0, k),
        ungated: found.typed,
        mode: found.mode,
        retrieval_ms: Math.round((performance.now() - started) * 1000) / 1000,
      };
    } finally {
      task.end();
      lease.release();
    }
  };
}

async function handleReady(deps: AppDeps): Promise<Response> {
  const problems = await deps.ready();
  const ready = problems.length === 0;
  return Response.json({ ready, problems } satisfies Ready, { status: ready ? 200 : 503 });
}

function readStreamFlag(value: string | null): boolean {
  if (value === null || value === 'true') return true;
  if (value === 'false') return false;
  throw new InputError('stream: must be true or false', [{ path: 'stream', message: 'must be true or false' }]);
}
