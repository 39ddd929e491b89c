/** A table of routes, mounted so that every path answers undeclared methods, and every failure has one shape. */
import type { IncomingMessage } from 'node:http';
import type { H3, H3Event } from 'h3';
import { type Access, requestId } from './access.ts';
import type { Admission } from './admission.ts';
import type { Caller } from './ask.ts';
import { InputError } from './body.ts';
import { CodedError } from './contract.ts';
import { describeError, errorEnvelope, failureOf, statusOf } from './errors.ts';
import type { Logger } from './log.ts';

export type Handler = (event: H3Event) => Response | Promise<Response>;

export interface Route {
  methods: Partial<Record<'GET' | 'POST' | 'DELETE', Handler>>;
  /** Answers without a key. */
  open?: boolean;
}

export interface RouteDeps {
  access: Access;
  admission: Admission;
  log: Logger;
}

export function mountRoutes(app: H3, routes: Readonly<Record<string, Route>>, deps: RouteDeps): void {
  for (const [path, route] of Object.entries(routes)) {
    const declared = Object.keys(route.methods).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const allow = declared.join(', ');
    app.all(path, async (event) => {
      const { method } = event.req;
      const handler = route.methods[(method === 'HEAD' ? 'GET' : method) as 'GET'];
      try {
        if (handler === undefined) {
          const error = new CodedError('method_not_allowed', `${path} takes ${allow}, not ${method}.`);
          return failure(error, deps, { allow });
        }
        if (route.open !== true) deps.access.checkKey(event);
        return await handler(event);
      } catch (error) {
        return failure(error, deps);
      }
    });
  }
}

/** Whatever was thrown, as a response; what was not foreseen stays in the log. */
export function failure(
  error: unknown,
  deps: Pick<RouteDeps, 'admission' | 'log'>,
  headers: Record<string, string> = {},
): Response {
  const { stage, code, message } = failureOf(error, 'internal');
  const status = statusOf(code);
  if (status >= 500 && code !== 'busy') deps.log.error('request failed', { code, cause: describeError(error) });
  if (code === 'busy') headers['retry-after'] = String(deps.admission.retryAfterSeconds());
  if (code === 'unauthorized') headers['www-authenticate'] = 'Bearer';
  // The rest of the body may still come, and would be read as the next request.
  if (code === 'request_timeout') headers.connection = 'close';
  const body = {
    code,
    message,
    ...(code === 'internal' ? { stage } : {}),
    ...(code === 'retrieval_failed' || code === 'timeout' ? { stage: 'retrieval' as const } : {}),
    ...(error instanceof InputError ? { issues: error.issues } : {}),
  };
  return Response.json(errorEnvelope(body), { status, headers });
}

export function callerOf(event: H3Event, route: string, arrived: number): Caller {
  return {
    route,
    requestId: requestId(event),
    traceparent: event.req.headers.get('traceparent') ?? undefined,
    left: event.req.signal,
    arrived,
    padded: nodeRequest(event).httpVersion === '1.0',
  };
}

export function nodeRequest(event: H3Event): IncomingMessage {
  const req = event.runtime?.node?.req;
  if (req === undefined) throw new CodedError('internal', 'The service runs on Node only.');
  // The type allows for HTTP/2, which this service does not listen for.
  return req as IncomingMessage;
}
