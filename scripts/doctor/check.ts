/** One thing the doctor looked at. */
export interface Check {
  name: string;
  /** `warn`: works, but less well than it could. */
  level: 'ok' | 'warn' | 'fail';
  found: string;
  /** What to do, a whole sentence; null when there is nothing. */
  todo: string | null;
}

export function ok(name: string, found: string): Check {
  return { name, level: 'ok', found, todo: null };
}

export function warn(name: string, found: string, todo: string | null = null): Check {
  return { name, level: 'warn', found, todo };
}

export function fail(name: string, found: string, todo: string | null = null): Check {
  return { name, level: 'fail', found, todo };
}

/** What an error says in one sentence, with what lies behind it where that names the remedy. */
export function said(error: unknown): string {
  const deepest = error instanceof Error && error.cause instanceof Error ? error.cause.message : undefined;
  const message = error instanceof Error ? error.message : String(error);
  // A search server that refuses to start says why on its standard error.
  const own = /^it said: (?:.*\n)*?askdocs search: ([\s\S]*)$/.exec(deepest ?? '')?.[1];
  if (own !== undefined) return own.trim();
  return (deepest === undefined ? message : `${message.replace(/\.$/, '')}: ${deepest}`).split('\n')[0]?.trim() ?? '';
}
