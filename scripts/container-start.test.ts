/**
 * What the container would do, without a container: the files that the Dockerfile copies, in a folder of their own, the
 * image's environment and the stack's, the same argument lists. Volumes are folders; the model is a stand-in.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answers, llmStandIn } from '../service/testing/llm-stand-in.ts';
import { post } from '../service/testing/service.ts';
import { freePort } from './free-port.ts';
import { readCompose } from './testing/compose.ts';
import { envOf, stagesOf } from './testing/dockerfile.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const image = stagesOf(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')).at(-1) ?? [];
const { services } = readCompose('compose.yaml');
let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'askdocs-image-'));
  for (const folder of ['data', 'models', 'docs', 'bin', 'app']) mkdirSync(join(root, folder));
  for (const { args } of image.filter(({ name, flags }) => name === 'COPY' && flags.length === 0)) {
    for (const path of args.slice(0, -1)) copy(path);
  }
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'app', 'node_modules'));
  symlinkSync(join(root, 'app/scripts/askdocs.js'), join(root, 'bin/askdocs'));
  writeFileSync(
    join(root, 'docs/limits.md'),
    '# Limits\n\nThe limit of an upload is 5 MB. What is larger is turned away.\n',
  );
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** As .dockerignore has it: no tests, and none of what only tests use. */
function copy(path: string): void {
  mkdirSync(dirname(join(root, 'app', path)), { recursive: true });
  cpSync(join(ROOT, path), join(root, 'app', path), {
    recursive: true,
    filter: (from) => !/\.test\.ts$|\/testing(\/|$)|^loadtest\/results/.test(from.slice(ROOT.length)),
  });
}

/** A path of the container, here. */
function here(text: string): string {
  return text.replace(/^\/(app|data|models|docs)\b/, join(root, '$1'));
}

/** The environment of a service: the image's, the stack's with its defaults, and what is given. */
function environment(name: string, given: Record<string, string>): Record<string, string> {
  const all = { ...envOf(image), ...services[name]?.environment };
  const resolved = Object.entries(all).map(([key, value]) => [key, here(value.replace(/\$\{\w+:-([^}]*)\}/g, '$1'))]);
  return {
    PATH: `${join(root, 'bin')}:${process.env.PATH}`,
    ...Object.fromEntries(resolved),
    ...given,
  };
}

/** What is run: the service's entrypoint and command, else the image's. */
function argv(name: string): string[] {
  const of = (instruction: string) => image.find((each) => each.name === instruction)?.args ?? [];
  const entrypoint = services[name]?.entrypoint ?? of('ENTRYPOINT');
  const command = services[name]?.command ?? (services[name]?.entrypoint ? [] : of('CMD'));
  return [...entrypoint, ...command].map(here);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path} ${statSync(path).mtimeMs}`)
    .sort();
}

test('index job, then service: it is healthy, answers, ends on SIGTERM, and writes into its volumes alone', async () => {
  const before = filesBelow(join(root, 'app'));
  const [indexer = '', ...indexArgs] = argv('index');
  const given = { ASKDOCS_EMBED_MODEL: 'none' };
  const indexed = spawnSync(indexer, indexArgs, {
    cwd: join(root, 'app'),
    env: environment('index', given),
    encoding: 'utf8',
  });
  expect(indexed.stdout + indexed.stderr).toContain('Indexed 1 new');
  expect(indexed.status).toBe(0);

  const model = await llmStandIn(answers(['The limit is 5 MB [1].']), { total_slots: 4 });
  const port = await freePort();
  const env = environment('askdocs', { ...given, ASKDOCS_LLM_BASE_URL: model.url, ASKDOCS_PORT: String(port) });
  const [program = '', ...args] = argv('askdocs');
  const child = spawn(program, args, { cwd: join(root, 'app'), env, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    const health = services.askdocs?.healthcheck;
    const [, ...probe] = health !== undefined && 'test' in health ? health.test : [];
    expect(probe).toEqual(image.find(({ name }) => name === 'HEALTHCHECK')?.args);
    expect(runProbe(probe, port)).toBe(1);
    await expect.poll(() => runProbe(probe, port), { timeout: 60_000 }).toBe(0);
    const response = await post(`http://127.0.0.1:${port}/ask?stream=false`, {
      question: 'What is the limit of an upload?',
    });
    const { data } = (await response.json()) as { data: { answer: string } };
    expect(data.answer).toBe('The limit is 5 MB [1].');
    expect(await ended(child)).toBe(0);
  } finally {
    child.kill('SIGKILL');
    await model.close();
  }
  expect(filesBelow(join(root, 'app'))).toEqual(before);
  expect(readdirSync(join(root, 'data'))).toEqual(expect.arrayContaining(['docs.db', 'docs.db.secret']));
}, 120_000);

test('the job that fetches the model runs in the image too', () => {
  const [program = '', ...args] = argv('fetch-model');
  const env = environment('fetch-model', { MODEL_SHA256: 'short' });
  const { status, stderr } = spawnSync(program, args, { cwd: join(root, 'app'), env, encoding: 'utf8' });
  expect(stderr).toContain('MODEL_SHA256 is "short"');
  expect(status).toBe(69);
});

function runProbe([program = '', ...args]: readonly string[], port: number): number | null {
  return spawnSync(
    program,
    args.map((arg) => arg.replace(':8000', `:${port}`)),
    { stdio: 'ignore' },
  ).status;
}

function ended(child: ChildProcess): Promise<number | null> {
  const exit = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  child.kill('SIGTERM');
  return exit;
}
