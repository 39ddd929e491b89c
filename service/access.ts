/** Who gets in: the check of Host and Origin, cross-origin pages, keys, and the name each request goes by. */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { type H3Event, handleCors, type Middleware } from 'h3';
import type { AccessConfig } from './config.ts';
import { CodedError } from './contract.ts';

export interface Access {
  /** Runs before every route. */
  middleware: Middleware;
  /** Throws `unauthorized` unless there are no keys, or the request has one. */
  checkKey(event: H3Event): void;
  /** Throws `forbidden` for a page of another origin that is not on the list; what is no browser sends no Origin. */
  checkOrigin(event: H3Event): void;
}

/** `refuse` makes the response of an error that the middleware meets. */
export function createAccess(host: string, config: AccessConfig, refuse: (error: CodedError) => Response): Access {
  const digests = config.keys.map(digest);
  const checksHost = isLoopback(host);
  const isAllowed = (name: string) => isLoopback(name) || config.allowedHosts.includes(name);
  return {
    middleware(event, next) {
      nameRequest(event);
      const other = checksHost ? namesOf(event).find((name) => !isAllowed(name)) : undefined;
      if (other !== undefined) {
        return refuse(
          new CodedError(
            'forbidden',
            `This service answers on ${host} only and was called ${other}; set ASKDOCS_ALLOWED_HOSTS to let a proxy call it so.`,
          ),
        );
      }
      return crossOrigin(event, config.corsOrigins) ?? next();
    },
    checkKey(event) {
      if (digests.length === 0) return;
      const given = /^bearer +(\S+) *$/i.exec(event.req.headers.get('authorization') ?? '')?.[1];
      if (given === undefined) throw new CodedError('unauthorized', 'Send a key: Authorization: Bearer KEY.');
      const mine = digest(given);
      // Every key is compared, and digests of one length: the time says nothing about any of them.
      const matches = digests.filter((each) => timingSafeEqual(each, mine)).length;
      if (matches === 0) throw new CodedError('unauthorized', 'The key is not one of this service.');
    },
    checkOrigin(event) {
      const origin = event.req.headers.get('origin');
      if (origin === null || allows(config.corsOrigins, origin)) return;
      if (URL.canParse(origin) && new URL(origin).host === event.req.headers.get('host')) return;
      throw new CodedError('forbidden', `Pages of ${origin} may not call this; ASKDOCS_CORS_ORIGINS lists who may.`);
    },
  };
}

/** Addresses and names that lead to this machine alone. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/.test(host);
}

/** The name given by the caller, or a new one. */
export function requestId(event: H3Event): string {
  return String(event.context.requestId ?? '');
}

/** What may stand in a log line and a header. */
const REQUEST_ID = /^[\w.:@=+/-]{1,128}$/;

function nameRequest(event: H3Event): void {
  const given = event.req.headers.get('x-request-id') ?? '';
  const id = REQUEST_ID.test(given) ? given : randomUUID();
  event.context.requestId = id;
  for (const headers of [event.res.headers, event.res.errHeaders]) headers.set('x-request-id', id);
}

/** The answer to a preflight of a listed origin; for other requests the headers, and undefined. */
function crossOrigin(event: H3Event, origins: readonly string[]) {
  if (origins.length === 0) return undefined;
  const handled = handleCors(event, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'POST', 'DELETE'],
    allowHeaders: ['authorization', 'content-type', 'x-request-id', 'mcp-session-id', 'mcp-protocol-version'],
    exposeHeaders: ['x-request-id', 'retry-after', 'mcp-session-id'],
    maxAge: '600',
    preflight: { statusCode: 204 },
  });
  // The preflight of another origin is any undeclared method: the route says 405, without a header that opens.
  return handled === false || !allows(origins, event.req.headers.get('origin') ?? '') ? undefined : handled;
}

function allows(origins: readonly string[], origin: string): boolean {
  return origins.includes('*') || origins.includes(origin);
}

/** What the caller calls this host: in the header, and in an address that names it (`GET http://name/path`). */
function namesOf(event: H3Event): string[] {
  const header = event.req.headers.get('host') ?? '';
  const { url = '' } = event.runtime?.node?.req ?? {};
  const target = url.startsWith('/') ? '' : event.url.host;
  return [header, target]
    .filter((host) => host !== '')
    .map((host) => host.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase());
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
