/**
 * The spans of one answer: `POST /ask` > `askdocs.answer` > `retrieval` (> the MCP call) and `generation`, with the
 * attributes of the OpenTelemetry conventions for HTTP, MCP and generative AI. No question, document or answer is in
 * them unless asked for.
 */
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Caller } from './ask.ts';
import type { LlmConfig } from './config.ts';
import type { Stage } from './contract.ts';
import { failureOf, statusOf } from './errors.ts';
import type { Provider } from './generate/provider.ts';
import type { Retriever } from './retrieve/client.ts';
import { inputOf, outputOf, requestAttributes, responseAttributes } from './span-attributes.ts';
import type { AnswerTrace } from './telemetry.ts';

export interface Tracing {
  tracer: Tracer;
  llm: LlmConfig;
  /** Whether prompts and answers are recorded. */
  content: boolean;
  parent(traceparent: string): SpanContext | null;
}

export function beginTrace(tracing: Tracing, caller: Caller): AnswerTrace {
  const { tracer } = tracing;
  const [method = '', route = ''] = caller.route.split(' ');
  const server = tracer.startSpan(
    caller.route,
    {
      kind: SpanKind.SERVER,
      startTime: caller.arrived,
      attributes: { 'http.request.method': method, 'http.route': route, 'askdocs.request_id': caller.requestId },
    },
    parentOf(tracing, caller),
  );
  const answer = tracer.startSpan('askdocs.answer', {}, within(server));
  const open = new Set<Span>([server, answer]);
  const child = (name: string, kind: SpanKind, parent: Span) => {
    const span = tracer.startSpan(name, { kind }, within(parent));
    open.add(span);
    return span;
  };
  const close = (span: Span) => {
    open.delete(span);
    span.end();
  };
  const spans: Spans = { answer, child, close };
  const finish = () => {
    // Inner spans end before outer ones.
    for (const span of [...open].reverse()) close(span);
  };
  return {
    traceId: server.spanContext().traceId,
    wrap: ({ retriever, provider }) => ({
      retriever: tracedRetriever(retriever, spans),
      provider: tracedProvider(provider, spans, tracing),
    }),
    end(last) {
      if (last.event === 'done') {
        const { refusal, truncated, citations, invalid_citations, cost_usd } = last.data;
        answer.setAttributes({
          'askdocs.outcome': refusal === null ? 'answer' : `refusal_${refusal}`,
          'askdocs.truncated': truncated,
          'askdocs.citations': citations.length,
          'askdocs.invalid_citations': invalid_citations.length,
        });
        if (cost_usd !== null) answer.setAttribute('askdocs.cost_usd', cost_usd);
      } else for (const span of [answer, server]) failSpan(span, last.data);
      finish();
    },
    refused(error) {
      const failure = failureOf(error, 'internal');
      server.setAttribute('http.response.status_code', statusOf(failure.code));
      for (const span of [answer, server]) failSpan(span, failure);
      finish();
    },
  };
}

interface Spans {
  answer: Span;
  child(name: string, kind: SpanKind, parent: Span): Span;
  close(span: Span): void;
}

function tracedRetriever(retriever: Retriever, { answer, child, close }: Spans): Retriever {
  return {
    ...retriever,
    async search(question, k, signal) {
      const span = child('retrieval', SpanKind.INTERNAL, answer);
      const call = child('tools/call crag_search', SpanKind.CLIENT, span);
      call.setAttributes({
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': 'crag_search',
        'gen_ai.operation.name': 'execute_tool',
        'network.transport': 'pipe',
      });
      try {
        const found = await retriever.search(question, k, signal, { traceparent: traceparentOf(call) });
        span.setAttributes({
          'askdocs.k': k,
          'askdocs.passages': found.passages.length,
          'askdocs.below_gate': found.below_gate.length,
          'askdocs.search_mode': found.mode,
        });
        return found;
      } catch (error) {
        for (const each of [call, span]) failWith(each, error, 'retrieval', signal);
        throw error;
      } finally {
        close(call);
        close(span);
      }
    },
  };
}

function tracedProvider(provider: Provider, { answer, child, close }: Spans, tracing: Tracing): Provider {
  // One provider of one answer: `prepare` opens the span that `generate` closes.
  let span: Span;
  return {
    ...provider,
    async prepare(question, passages, signal) {
      span = child('generation', SpanKind.CLIENT, answer);
      span.setAttributes(requestAttributes(provider, tracing.llm));
      try {
        const prepared = await provider.prepare(question, passages, signal);
        if (tracing.content) span.setAttribute('gen_ai.input.messages', inputOf(prepared));
        return prepared;
      } catch (error) {
        failWith(span, error, 'generation', signal);
        close(span);
        throw error;
      }
    },
    async *generate(prepared, signal) {
      let text = '';
      try {
        for await (const event of provider.generate(prepared, signal)) {
          if (event.type === 'end') span.setAttributes(responseAttributes(event));
          else if (event.text !== '') {
            if (text === '') span.addEvent('first_token');
            text += event.text;
          }
          yield event;
        }
      } catch (error) {
        failWith(span, error, 'generation', signal);
        throw error;
      } finally {
        if (tracing.content) span.setAttribute('gen_ai.output.messages', outputOf(text));
        close(span);
      }
    },
  };
}

function failWith(span: Span, error: unknown, stage: Stage, signal: AbortSignal): void {
  failSpan(span, failureOf(signal.aborted ? signal.reason : error, stage));
}

/** A client that left is an outcome, not an error of ours. */
function failSpan(span: Span, { code, message }: { code: string; message: string }): void {
  span.setAttribute('askdocs.outcome', code === 'cancelled' ? 'cancelled' : 'error');
  if (code === 'cancelled') return;
  span.setAttribute('error.type', code);
  span.recordException({ name: code, message });
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

function within(parent: Span): Context {
  return trace.setSpan(ROOT_CONTEXT, parent);
}

function parentOf({ parent }: Tracing, { traceparent }: Caller): Context {
  const context = traceparent === undefined ? null : parent(traceparent);
  return context === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...context, isRemote: true });
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
