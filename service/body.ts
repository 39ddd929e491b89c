/** Reads a JSON body within its bounds, and never more of it into memory. */
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { CodedError, type ErrorBody } from './contract.ts';

/** Bad input with what is wrong, field by field. */
export class InputError extends CodedError {
  readonly issues: NonNullable<ErrorBody['issues']>;

  constructor(message: string, issues: NonNullable<ErrorBody['issues']>) {
    super('bad_input', message);
    this.issues = issues;
  }
}

/**
 * Reads and parses a request's body. Throws `unsupported_type`, `too_large` (by Content-Length before a byte is read,
 * else as soon as the bound is passed), `request_timeout` or
 * `bad_input`.
 */
export async function readJson<T extends z.ZodType>(
  req: IncomingMessage,
  schema: T,
  limits: { readonly bodyBytes: number; readonly bodyMs: number },
): Promise<z.output<T>> {
  if (!isJson(req)) {
    throw new CodedError(
      'unsupported_type',
      `The content type is ${req.headers['content-type'] ?? 'missing'}; send application/json.`,
    );
  }
  const declared = Number(req.headers['content-length']);
  if (declared > limits.bodyBytes) {
    // The rest is read and thrown away by the server once the answer is out, so that the client gets to read it.
    throw tooLarge(limits.bodyBytes);
  }
  const bytes = await readBytes(req, limits);
  const parsed = schema.safeParse(parseJson(bytes));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }));
  throw new InputError(
    issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; '),
    issues,
  );
}

function isJson(req: IncomingMessage): boolean {
  const type = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const encoding = (req.headers['content-encoding'] ?? 'identity').toLowerCase();
  return /^application\/(?:[\w.-]+\+)?json$/.test(type) && encoding === 'identity';
}

/**
 * Collects the body. On overflow it keeps reading and drops what it reads: cancelling the stream or pausing it would
 * reset the connection under a client that is still sending, and it would never see the answer.
 */
function readBytes(
  req: IncomingMessage,
  limits: { readonly bodyBytes: number; readonly bodyMs: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => settle(tooLate(limits.bodyMs)), limits.bodyMs);
    const settle = (error?: Error) => {
      clearTimeout(timer);
      req.off('data', onData);
      req.resume();
      if (error === undefined) resolve(Buffer.concat(chunks));
      else reject(error);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limits.bodyBytes) settle(tooLarge(limits.bodyBytes));
      else chunks.push(chunk);
    };
    req.on('data', onData);
    req.once('end', () => settle());
    req.once('error', (cause) => settle(new CodedError('cancelled', 'The client left.', { cause })));
    req.once('close', () => settle(new CodedError('cancelled', 'The client left.')));
  });
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new InputError('The body is not valid JSON in UTF-8.', []);
  }
}

function tooLate(ms: number): CodedError {
  return new CodedError('request_timeout', `The body did not arrive within ${ms / 1000} s.`);
}

function tooLarge(limit: number): CodedError {
  return new CodedError('too_large', `The body is larger than ${limit} bytes.`);
}
