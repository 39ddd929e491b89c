/** Traces: off unless an endpoint is set, and then the SDK is loaded. What a span holds is in spans.ts. */
import type { AnswerDeps } from './answer.ts';
import type { Caller } from './ask.ts';
import type { Config } from './config.ts';
import type { AskEvent } from './contract.ts';
import { describeError } from './errors.ts';
import type { Logger } from './log.ts';
import { beginTrace } from './spans.ts';

/** The last event of an answer. */
export type LastEvent = Extract<AskEvent, { event: 'done' | 'error' }>;

/** The spans of one answer. */
export interface AnswerTrace {
  /** The answer's name in the traces, or undefined when there is none. */
  readonly traceId: string | undefined;
  /** The same parts, which say what they do as spans of this trace. */
  wrap(deps: Pick<AnswerDeps, 'retriever' | 'provider'>): Pick<AnswerDeps, 'retriever' | 'provider'>;
  /** Ends every span that is open. */
  end(last: LastEvent): void;
  /** The question was not taken. */
  refused(error: unknown): void;
}

export interface Telemetry {
  begin(caller: Caller): AnswerTrace;
  /** Sends what is left, within a bound. */
  close(): Promise<void>;
}

const NO_TRACE: AnswerTrace = {
  traceId: undefined,
  wrap: (deps) => deps,
  end: () => undefined,
  refused: () => undefined,
};
export const noTelemetry: Telemetry = { begin: () => NO_TRACE, close: async () => undefined };

/** Longest that the end of the service waits for a collector that does not answer. */
const FLUSH_MS = 2000;

export async function createTelemetry(config: Config, log: Logger): Promise<Telemetry> {
  const { endpoint, serviceName, content } = config.otel;
  if (endpoint === undefined) return noTelemetry;
  // Loaded only here: it costs a third of a second at the start.
  const { tracing, resources, core } = await import('@opentelemetry/sdk-node');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const exporter = new OTLPTraceExporter({ url: tracesUrl(endpoint), timeoutMillis: FLUSH_MS });
  const provider = new tracing.BasicTracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': serviceName }),
    spanProcessors: [new tracing.BatchSpanProcessor(exporter, { scheduledDelayMillis: 1000 })],
  });
  // Passed by hand and not set as the process's own: two services of one process stay apart.
  const tracer = provider.getTracer('askdocs');
  return {
    begin: (caller) => beginTrace({ tracer, llm: config.llm, content, parent: core.parseTraceParent }, caller),
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, FLUSH_MS);
      });
      const flushed = provider
        .shutdown()
        .catch((error: unknown) => log.warn('the last traces were not sent', { cause: describeError(error) }));
      await Promise.race([flushed, late]);
      clearTimeout(timer);
    },
  };
}

/** As the OTLP specification has it: the endpoint is a base, under which traces have a path of their own. */
function tracesUrl(endpoint: string): string {
  const base = endpoint.replace(/\/+$/, '');
  return base.endsWith('/v1/traces') ? base : `${base}/v1/traces`;
}
