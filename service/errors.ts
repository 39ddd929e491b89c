/** What a failure looks like outside: its HTTP status, its place in the pipeline, and no more than is fit to be shown. */
import { CodedError, type ErrorBody, type ErrorCode, type Stage } from './contract.ts';

/** A failure with the stage it happened in, and the part of the answer that had been sent. */
export interface Failure {
  stage: Stage;
  code: ErrorCode;
  message: string;
}

const STATUS: Record<ErrorCode, number> = {
  bad_input: 422,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  too_large: 413,
  unsupported_type: 415,
  method_not_allowed: 405,
  request_timeout: 408,
  busy: 503,
  unavailable: 503,
  retrieval_failed: 502,
  generation_failed: 502,
  context_overflow: 502,
  timeout: 502,
  // The convention of nginx for a client that left; nobody reads it but the log.
  cancelled: 499,
  bad_config: 500,
  internal: 500,
};

export function statusOf(code: ErrorCode): number {
  return STATUS[code];
}

/** Anything thrown, as what may be shown. What is not a CodedError is internal, and its text stays in the log. */
export function failureOf(error: unknown, stage: Stage): Failure {
  if (error instanceof CodedError) return { stage, code: error.code, message: error.message };
  return {
    stage: 'internal',
    code: 'internal',
    message: 'Something went wrong inside the service; its log says what.',
  };
}

/** The error envelope of every JSON answer that failed. */
export function errorEnvelope(error: ErrorBody): { success: false; data: null; error: ErrorBody } {
  return { success: false, data: null, error };
}

/** An error with all its causes on one line, for the log. */
export function describeError(error: unknown): string {
  const parts: string[] = [];
  for (let at: unknown = error, depth = 0; at !== undefined && at !== null && depth < 5; depth += 1) {
    parts.push(at instanceof Error ? `${at.name}: ${at.message}` : String(at));
    at = at instanceof Error ? at.cause : undefined;
  }
  return parts.join(' <- ');
}

/** What it says of itself, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
