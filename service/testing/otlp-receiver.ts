/** A collector for tests, on a real socket: takes OTLP over HTTP as JSON and keeps the spans. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: Value[] };
};
interface KeyValue {
  key: string;
  value: Value;
}
interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: KeyValue[];
  events: { name: string; timeUnixNano: string; attributes: KeyValue[] }[];
  status: { code?: number; message?: string };
}
interface WireBody {
  resourceSpans: { resource: { attributes: KeyValue[] }; scopeSpans: { spans: WireSpan[] }[] }[];
}

export interface ReceivedSpan extends Omit<WireSpan, 'attributes' | 'events'> {
  attributes: Record<string, unknown>;
  events: { name: string; attributes: Record<string, unknown>; timeUnixNano: string }[];
  service: unknown;
}

export interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** All that came over the wire. */
  text(): string;
  close(): Promise<void>;
}

export async function otlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  let text = '';
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    if (req.url !== '/v1/traces') res.statusCode = 404;
    else {
      text += body;
      spans.push(...read(JSON.parse(body) as WireBody));
    }
    res.setHeader('content-type', 'application/json');
    res.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => text,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function read(body: WireBody): ReceivedSpan[] {
  return body.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: record(span.attributes),
        events: span.events.map((event) => ({ ...event, attributes: record(event.attributes) })),
        service: record(resource.attributes)['service.name'],
      })),
    ),
  );
}

function record(attributes: KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function plain(value: Value): unknown {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(plain);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}
