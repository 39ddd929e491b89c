/** Finds the program k6. It is never downloaded here: who measures decides which one to trust. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CodedError } from '../service/contract.ts';

export interface K6 {
  path: string;
  /** Such as 2.2.0. */
  version: string;
}

const INSTALL =
  'install it (https://grafana.com/docs/k6/latest/set-up/install-k6/; macOS: brew install k6; Windows: winget install k6; Linux: a package or a single file from its releases), or name it with --k6 PATH or ASKDOCS_K6';

/** `given`: a path or name; without it, `k6` on PATH. Throws `bad_input` with what to do. */
export async function findK6(given: string | undefined): Promise<K6> {
  const path = given ?? 'k6';
  const output = await versionOutput(path);
  const version = readVersion(output);
  if (version === undefined) {
    throw new CodedError(
      'bad_input',
      `${path} is not k6: "${path} version" says ${JSON.stringify(output.slice(0, 80))}; ${INSTALL}.`,
    );
  }
  if (Number(version.split('.')[0]) < 1) {
    throw new CodedError(
      'bad_input',
      `${path} is k6 ${version}; the scripts are TypeScript and need k6 1 or 2: ${INSTALL}.`,
    );
  }
  return { path, version };
}

/** `k6 v2.2.0 (go1.26.8, linux/amd64)` -> `2.2.0`. */
export function readVersion(output: string): string | undefined {
  return /^\S*k6\S* v(\d+\.\d+\.\d+)/m.exec(output)?.[1];
}

async function versionOutput(path: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(path, ['version'], { timeout: 20_000 });
    return stdout.trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const what =
      code === 'ENOENT' ? `there is no program ${path}` : `${path} could not be run (${code ?? String(error)})`;
    throw new CodedError('bad_input', `k6 is needed and ${what}; ${INSTALL}.`, { cause: error });
  }
}
