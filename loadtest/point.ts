/** One run of k6 against a service: its settings, its process, its numbers. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CodedError } from '../service/contract.ts';
import type { K6 } from './k6-program.ts';
import { pointSummarySchema } from './result.ts';

export interface PointOptions {
  k6: K6;
  serviceUrl: string;
  cases: string;
  users: number;
  /** Seconds, the edges included. */
  durationS: number;
  edgeS: number;
  pauseS: number;
  /** Which question of the list comes first. */
  offset: number;
  signal: AbortSignal;
}

const SCRIPT = fileURLToPath(new URL('./k6/ask.ts', import.meta.url));
/** k6's exit code when a threshold was crossed: its summary is written all the same. */
const THRESHOLDS = 99;

export async function runPoint(options: PointOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'askdocs-k6-'));
  try {
    const file = join(folder, 'summary.json');
    const { code, said } = await run(options, file);
    if (options.signal.aborted) throw new CodedError('cancelled', 'Stopped; nothing was written.');
    if (code !== 0 && code !== THRESHOLDS) {
      throw new CodedError(
        'unavailable',
        `k6 ended with code ${code}: ${said.trim().slice(-600) || '(it said nothing)'}`,
      );
    }
    return readSummary(await readFile(file, 'utf8').catch(() => ''), said);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What `handleSummary` wrote; anything else is refused with what k6 said. */
export function readSummary(text: string, said = '') {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CodedError('unavailable', `k6 wrote no summary: ${said.trim().slice(-600) || '(it said nothing)'}`);
  }
  const parsed = pointSummarySchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  throw new CodedError('unavailable', `k6 wrote a summary of another shape: ${where}`);
}

/** The arguments of k6 for one point. */
export function k6Arguments(options: Omit<PointOptions, 'k6' | 'signal'>, summary: string): string[] {
  const env: Record<string, string | number> = {
    ASKDOCS_URL: options.serviceUrl,
    CASES: options.cases,
    USERS: options.users,
    DURATION_S: options.durationS,
    EDGE_S: options.edgeS,
    PAUSE_S: options.pauseS,
    OFFSET: options.offset,
    SUMMARY: summary,
  };
  const pairs = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  // No usage reports, no colour, no progress bar: progress is shown by the runner.
  return ['run', '--no-usage-report', '--no-color', '--quiet', ...pairs, SCRIPT];
}

async function run(options: PointOptions, summary: string): Promise<{ code: number | null; said: string }> {
  const child = spawn(options.k6.path, k6Arguments(options, summary), { stdio: ['ignore', 'ignore', 'pipe'] });
  const stop = () => child.kill('SIGTERM');
  options.signal.addEventListener('abort', stop, { once: true });
  let said = '';
  child.stderr.on('data', (data) => {
    said = (said + data).slice(-4000);
  });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    return { code, said };
  } finally {
    options.signal.removeEventListener('abort', stop);
  }
}
