/** What went wrong at the engine, as one of our errors: a code that callers decide by, and a sentence without secrets. */
import { CodedError } from '../../../contract.ts';
import type { Address } from './address.ts';

/** The engine's own code for what does not exist (any more). */
const NO_COLLECTION = 100;
const NO_ALIAS = 1600;

/** What the engine answered instead of doing it. */
export class Refused extends Error {
  readonly engineCode: number;
  constructor(reason: string, engineCode: number) {
    super(reason);
    this.name = 'Refused';
    this.engineCode = engineCode;
  }
}

/** The failure that an answer of the client carries, for it resolves with it. */
export function statusFailure(answer: unknown): Refused | undefined {
  const status = (answer as { status?: unknown })?.status ?? answer;
  const {
    error_code: name,
    code,
    reason,
  } = (status ?? {}) as { error_code?: unknown; code?: unknown; reason?: unknown };
  const failed = (typeof code === 'number' && code !== 0) || (typeof name === 'string' && name !== 'Success');
  return failed ? new Refused(String(reason ?? name), Number(code ?? -1)) : undefined;
}

/** Some requests resolve with what the engine says, for others the client throws it as a text. */
export function isMissing(error: unknown): boolean {
  const cause = error instanceof CodedError ? error.cause : error;
  if (cause instanceof Refused && (cause.engineCode === NO_COLLECTION || cause.engineCode === NO_ALIAS)) return true;
  return (
    cause instanceof Error &&
    /CollectionNotExists|collection.*not (?:found|exist)|alias.*not (?:found|exist)/i.test(cause.message)
  );
}

export function isTaken(error: unknown): boolean {
  const cause = error instanceof CodedError ? error.cause : error;
  return cause instanceof Refused && /already exist/i.test(cause.message);
}

/** gRPC's codes: 4 deadline exceeded, 7 denied, 8 exhausted, 14 unavailable, 16 unauthenticated. */
export function asFailure(thrown: unknown, address: Address): CodedError {
  if (thrown instanceof CodedError) return thrown;
  // Where the client asks for a schema before it writes, it throws the engine's whole answer.
  const error = thrown instanceof Error ? thrown : (statusFailure(thrown) ?? thrown);
  const { code, message } = error as { code?: unknown; message?: unknown };
  const text = String(message ?? error);
  const fail = (kind: CodedError['code'], sentence: string) => new CodedError(kind, sentence, { cause: error });
  if (code === 4) return fail('timeout', `The engine of ${address.name} did not answer in time.`);
  if (code === 7 || code === 16 || /auth|permission|credential/i.test(text))
    return fail('bad_config', `The engine of ${address.name} refuses the user, password or token.`);
  if (isFull(code, text))
    return fail('unavailable', `The engine of ${address.name} is full or over its limit: ${brief(text)}`);
  if (code === 14 || /ECONN|connect|unavailable|certificate|TLS|socket/i.test(text))
    return fail('unavailable', `The engine of ${address.name} cannot be reached; check the address, and that it runs.`);
  return fail('unavailable', `The engine of ${address.name} failed: ${brief(text)}`);
}

function isFull(code: unknown, text: string): boolean {
  return (
    code === 8 || /quota|rate limit|exhausted|out of memory|no space|disk.*full|deny to (?:write|read)/i.test(text)
  );
}

function brief(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

/** The engine is there and answered, but would not do it. */
export function isRefused(error: unknown): boolean {
  return error instanceof CodedError && error.cause instanceof Refused;
}
