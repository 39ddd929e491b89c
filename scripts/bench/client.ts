/** A thin HTTP client for benchmarks: it counts and clocks, and does as little else as it can. */
import { Agent, request } from 'node:http';

export interface Timed {
  status: number;
  /** From sending to the first token, and to the end, in ms. */
  firstMs: number;
  totalMs: number;
  tokens: number;
  retryAfterS: number;
}

const agent = new Agent({ keepAlive: true });

/** Posts JSON and reads the stream; `mark` is what a token's event begins with. */
export function timed(url: string, body: unknown, mark: string): Promise<Timed> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const text = JSON.stringify(body);
    const req = request(
      url,
      {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
      },
      (res) => {
        let first = 0;
        let tokens = 0;
        let carry = '';
        res.setEncoding('latin1').on('data', (data: string) => {
          const joined = carry + data;
          for (let at = joined.indexOf(mark); at !== -1; at = joined.indexOf(mark, at + mark.length)) tokens += 1;
          if (tokens > 0) first ||= performance.now();
          carry = joined.slice(-(mark.length - 1));
        });
        res.on('end', () => {
          const now = performance.now();
          resolve({
            status: res.statusCode ?? 0,
            firstMs: (first || now) - started,
            totalMs: now - started,
            tokens,
            retryAfterS: Number(res.headers['retry-after'] ?? 0),
          });
        });
        res.on('error', reject);
      },
    );
    req.on('error', reject);
    req.end(text);
  });
}

export const ASK_MARK = 'event: token';
export const DIRECT_MARK = '"content":"';

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
