/** Log lines: one JSON object a line, or readable text where a person watches. */

export type Fields = Readonly<Record<string, unknown>>;

export interface Logger {
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

export interface LogStream {
  write(text: string): unknown;
  isTTY?: boolean | undefined;
}

export function createLogger(stream: LogStream, now: () => Date = () => new Date()): Logger {
  const write = (level: string, message: string, fields: Fields = {}): void => {
    const time = now().toISOString();
    const line =
      stream.isTTY === true
        ? readable(time, level, message, fields)
        : JSON.stringify({ time, level, message, ...fields });
    stream.write(`${line}\n`);
  };
  return {
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields) => write('error', message, fields),
  };
}

export const silentLogger: Logger = { info() {}, warn() {}, error() {} };

function readable(time: string, level: string, message: string, fields: Fields): string {
  const rest = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const label = level === 'info' ? '' : `${level}: `;
  return [time.slice(11, 19), `${label}${message}`, ...rest].join('  ');
}
