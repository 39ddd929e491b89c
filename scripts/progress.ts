/** Progress on stderr: one live line on a terminal, a plain line now and then elsewhere. */
const LIVE_EVERY_MS = 100;
const PLAIN_EVERY_MS = 5000;

export interface ProgressStream {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  write(text: string): unknown;
}

export interface Progress {
  update(done: number, total: number, label?: string): void;
  /** Ends the live line; with a text, leaves that in its place. */
  end(text?: string): void;
}

export function createProgress(stream: ProgressStream = process.stderr, now: () => number = Date.now): Progress {
  const live = stream.isTTY === true;
  const started = now();
  let last = live ? Number.NEGATIVE_INFINITY : started;
  return {
    update(done, total, label = '') {
      if (now() - last < (live ? LIVE_EVERY_MS : PLAIN_EVERY_MS)) return;
      last = now();
      const line = progressLine(done, total, label, now() - started);
      stream.write(live ? `\r\u001b[2K${line.slice(0, (stream.columns ?? 80) - 1)}` : `${line}\n`);
    },
    end(text) {
      if (live) stream.write('\r\u001b[2K');
      if (text !== undefined) stream.write(`${text}\n`);
    },
  };
}

function progressLine(done: number, total: number, label: string, elapsedMs: number): string {
  const left = done > 0 ? Math.ceil((elapsedMs / done) * (total - done)) : null;
  const time = left === null || elapsedMs < 2000 ? '' : `, ${duration(left)} left`;
  return `${done}/${total} (${total > 0 ? Math.floor((100 * done) / total) : 100}%)${time}${label ? `  ${label}` : ''}`;
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
