/**
 * The search server's own spans: `search` > `embed`, `lexical` and `dense`, as children of the call that the service
 * traces (`_meta.traceparent`, as MCP has it). Off unless ASKDOCS_OTEL_ENDPOINT is set, and then the SDK is loaded beside
 * the start, not before it: spans are made from the times of a search when it is over. None holds a question or a text.
 */
import type { SpanContext, Tracer } from '@opentelemetry/api';
import { CodedError } from '../contract.ts';
import type { Detailed, SearchOptions } from './store.ts';

export interface SearchTracing {
  /** Runs the search and traces it when it was called with a trace context. */
  traced(options: SearchOptions, meta: CallMeta, run: (options: SearchOptions) => Promise<Detailed>): Promise<Detailed>;
  /** Sends what is left, within a bound. */
  close(): Promise<void>;
}

/** `_meta` of the call. */
export type CallMeta = { readonly [name: string]: unknown } | undefined;

export const noTracing: SearchTracing = { traced: (options, _meta, run) => run(options), close: async () => undefined };

/** The service kills a server that takes two seconds to end. */
const FLUSH_MS = 1000;

export function searchTracing(env: Readonly<Record<string, string | undefined>>): SearchTracing {
  const endpoint = env.ASKDOCS_OTEL_ENDPOINT?.trim();
  if (endpoint === undefined || endpoint === '') return noTracing;
  const loading = loadSdk(endpoint, env.ASKDOCS_OTEL_SERVICE_NAME?.trim() || 'askdocs');
  // Said once; the search goes on without spans.
  loading.catch((error: unknown) => console.error('askdocs search: no traces:', error));
  const record = (call: Call) => {
    const { traceparent } = call.meta ?? {};
    if (typeof traceparent !== 'string') return;
    loading.then((sdk) => recordSearch(sdk, traceparent, call)).catch(() => undefined);
  };
  return {
    async traced(options, meta, run) {
      const start = performance.timeOrigin + performance.now();
      try {
        const found = await run(options);
        record({ options, meta, start, end: performance.timeOrigin + performance.now(), found });
        return found;
      } catch (error) {
        record({ options, meta, start, end: performance.timeOrigin + performance.now(), error });
        throw error;
      }
    },
    async close() {
      const late = new Promise<void>((resolve) => void setTimeout(resolve, FLUSH_MS).unref());
      await Promise.race([loading.then((sdk) => sdk.shutdown()).catch(() => undefined), late]);
    },
  };
}

interface Sdk {
  api: typeof import('@opentelemetry/api');
  tracer: Tracer;
  parse(traceparent: string): SpanContext | null;
  shutdown(): Promise<void>;
}

interface Call {
  options: SearchOptions;
  meta: CallMeta;
  /** Milliseconds since 1970. */
  start: number;
  end: number;
  found?: Detailed;
  error?: unknown;
}

async function loadSdk(endpoint: string, serviceName: string): Promise<Sdk> {
  const [api, { tracing, resources, core }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const base = endpoint.replace(/\/+$/, '');
  const url = base.endsWith('/v1/traces') ? base : `${base}/v1/traces`;
  const provider = new tracing.BasicTracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': `${serviceName}-search` }),
    spanProcessors: [
      new tracing.BatchSpanProcessor(new OTLPTraceExporter({ url, timeoutMillis: FLUSH_MS }), {
        scheduledDelayMillis: 1000,
      }),
    ],
  });
  return {
    api,
    tracer: provider.getTracer('askdocs-search'),
    parse: core.parseTraceParent,
    shutdown: () => provider.shutdown(),
  };
}

function recordSearch({ api, tracer, parse }: Sdk, traceparent: string, call: Call): void {
  const caller = parse(traceparent);
  if (caller === null) return;
  const above = api.trace.setSpanContext(api.ROOT_CONTEXT, { ...caller, isRemote: true });
  const span = tracer.startSpan('search', { kind: api.SpanKind.SERVER, startTime: call.start }, above);
  span.setAttributes({
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': 'crag_search',
    'askdocs.k': call.options.k,
  });
  if (call.found === undefined) {
    const type = call.error instanceof CodedError ? call.error.code : 'internal';
    span.setAttribute('error.type', type);
    span.setStatus({ code: api.SpanStatusCode.ERROR });
  } else {
    const { passages, below_gate, mode } = call.found;
    span.setAttributes({
      'askdocs.passages': passages.length,
      'askdocs.below_gate': below_gate.length,
      'askdocs.search_mode': mode,
    });
    const within = api.trace.setSpan(api.ROOT_CONTEXT, span);
    for (const { name, start, end } of stepsOf(call, call.found)) {
      tracer.startSpan(name, { startTime: start }, within).end(end);
    }
  }
  span.end(call.end);
}

/** The steps that a search of this mode takes; both halves at once where their times do not fit one behind the other. */
function stepsOf({ start, end }: Call, { mode, ms }: Detailed) {
  const embedded = start + (mode === 'lexical' ? 0 : ms.embed);
  const oneByOne = embedded + ms.lexical + ms.dense <= end;
  const lexicalEnd = embedded + ms.lexical;
  const dense = oneByOne ? lexicalEnd : embedded;
  return [
    { name: 'embed', start, end: embedded, in: ['hybrid', 'dense'] },
    { name: 'lexical', start: embedded, end: lexicalEnd, in: ['hybrid', 'lexical'] },
    { name: 'dense', start: dense, end: dense + ms.dense, in: ['hybrid', 'dense'] },
  ].filter((step) => step.in.includes(mode));
}
