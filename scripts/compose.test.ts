/** The compose files hold what docs/deploy.md promises of them; where there is a client, it reads them too. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../service/config.ts';
import { COMPOSE, type ComposeService, overlaid, readCompose } from './testing/compose.ts';
import { envOf, stagesOf } from './testing/dockerfile.ts';

const base = readCompose('compose.yaml');
const OVERLAYS = ['cuda.yaml', 'rocm.yaml', 'local-model.yaml'];
/** More than one of the service, over Milvus. */
const REPLICAS = 'milvus.yaml';
const replicas = overlaid(base, readCompose(REPLICAS));
const stacks = [
  ['compose.yaml', base] as const,
  ...[...OVERLAYS, REPLICAS].map((name) => [name, overlaid(base, readCompose(name))] as const),
];
const services = stacks.flatMap(([file, stack]) =>
  Object.entries(stack.services).map(([name, service]) => [`${file}: ${name}`, service] as const),
);
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const stages = stagesOf(read('Dockerfile'));
const image = stages.at(-1) ?? [];
const runsOn = (service: ComposeService) => service.restart === 'unless-stopped';

describe.each(services)('%s', (name, service) => {
  test('has no rights it does not need', () => {
    expect(service).toMatchObject({ read_only: true, init: true, cap_drop: ['ALL'] });
    expect(service.security_opt).toEqual(['no-new-privileges:true']);
    expect(service.user).toMatch(/^[1-9]\d{2,}:[1-9]\d{2,}$/);
    expect(service.tmpfs?.every((mount) => /^\/tmp:size=\d+m/.test(mount))).toBe(true);
    expect(service.logging?.options['max-size']).toBeDefined();
  });

  test('is reached from this machine alone, and runs a pinned image', () => {
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    expect(service.image).toMatch(/:[a-z-]*(?:b\d{4,}|\d+\.\d+\.\d+)(?:@sha256:[0-9a-f]{64})?$/);
    expect(service.restart).toBeDefined();
  });

  test('says how it is when it runs on, and no job does', () => {
    const without = ['otel-collector'].some((each) => name.endsWith(each));
    const asked = service.healthcheck !== undefined && 'test' in service.healthcheck;
    expect(asked).toBe(runsOn(service) && !without);
  });
});

describe.each(stacks)('%s', (_name, stack) => {
  test('services, networks and volumes that are named are there', () => {
    for (const service of Object.values(stack.services)) {
      for (const other of Object.keys(service.depends_on ?? {})) expect(stack.services).toHaveProperty([other]);
      for (const network of service.networks ?? []) expect(stack.networks).toHaveProperty([network]);
      for (const volume of service.volumes ?? []) {
        const source = typeof volume === 'string' ? volume.split(':')[0] : undefined;
        if (source !== undefined && !/^[./]/.test(source)) expect(stack.volumes).toHaveProperty([source]);
        if (source?.startsWith('.')) expect(existsSync(join(COMPOSE, source))).toBe(true);
      }
    }
  });

  test('jobs are waited for to their end, services until they are well', () => {
    for (const { depends_on = {} } of Object.values(stack.services)) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const job = stack.services[other]?.restart === 'no';
        expect(condition).toBe(job ? 'service_completed_successfully' : 'service_healthy');
      }
    }
  });
});

test('the model has no way out; slots and limit are one number', () => {
  const { llama, askdocs } = base.services;
  expect(llama?.networks).toEqual(['inside']);
  expect(base.networks.inside).toEqual({ internal: true });
  expect(llama?.environment?.LLAMA_ARG_N_PARALLEL).toBe(askdocs?.environment?.ASKDOCS_MAX_CONCURRENT);
});

test('the overlays change the model alone', () => {
  for (const overlay of OVERLAYS) {
    expect(
      Object.keys(readCompose(overlay).services).filter((name) => !['llama', 'fetch-model'].includes(name)),
    ).toEqual([]);
  }
  const local = overlaid(base, readCompose('local-model.yaml')).services.llama;
  const mounted = local?.volumes?.flatMap((volume) => (typeof volume === 'string' ? [] : [volume.target]));
  expect(mounted).toContain(local?.environment?.LLAMA_ARG_MODEL);
});

describe('the replicas', () => {
  const two = [replicas.services.askdocs, replicas.services['askdocs-2']];

  test('are the same service twice, each with its part of the slots', () => {
    const [first, second] = two.map((service) => ({ ...service, ports: [], build: undefined, depends_on: {} }));
    expect(second).toEqual(first);
    expect(Object.keys(two[1]?.depends_on ?? {}).sort()).toEqual(Object.keys(two[0]?.depends_on ?? {}).sort());
    const { ASKDOCS_LLM_SLOTS_SHARE: share, ASKDOCS_MAX_CONCURRENT: each } = two[0]?.environment ?? {};
    const slots = base.services.llama?.environment?.LLAMA_ARG_N_PARALLEL;
    const number = (text = '') => Number(/:-(\d+)\}$/.exec(text)?.[1]);
    expect([share, number(each) * two.length]).toEqual(['1/2', number(slots)]);
  });

  test('and the job of the index name one collection; Milvus has no way out and is reached by nobody else', () => {
    const { milvus, index, askdocs } = replicas.services;
    const db = new URL(askdocs?.environment?.ASKDOCS_MCP_DB ?? '');
    expect(index?.environment?.ASKDOCS_MCP_DB).toBe(db.href);
    expect(replicas.services).toHaveProperty([db.hostname]);
    expect(milvus?.networks).toEqual(['inside']);
    expect(milvus?.ports).toBeUndefined();
    for (const service of [index, ...two]) expect(service?.networks).toContain('inside');
  });

  test('are behind nginx with the settings of the documentation, at their addresses', async () => {
    const { nginx } = replicas.services;
    const [first = '', second = ''] = (nginx?.command ?? []).slice(1);
    for (const address of [first, second]) expect(replicas.services).toHaveProperty([address.split(':')[0] ?? '']);
    const made = settingsOf(nginx?.command ?? []);
    expect(made).toContain(`server ${first} max_fails=1`);
    expect(made).toContain(`server ${second} max_fails=1`);
    const inside = nginx?.ports?.[0]?.split(':').at(-1);
    expect(made).toContain(`listen ${inside};`);
    expect(made).not.toContain('127.0.0.1');
  });
});

/** What the start script of nginx makes of the settings; a program of that name takes its place. */
function settingsOf([, ...addresses]: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-nginx-'));
  try {
    writeFileSync(join(folder, 'nginx'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env.PATH}`, NGINX_DIR: folder };
    const args = [join(COMPOSE, 'nginx-replicas.sh'), join(COMPOSE, 'nginx-replicas.conf'), ...addresses];
    expect(spawnSync('sh', args, { env, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    return readFileSync(join(folder, 'replicas.conf'), 'utf8').replace(/^\s*#.*$/gm, '');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('every variable is in .env.example with the default of the files, and no other', () => {
  const files = ['compose.yaml', ...OVERLAYS, REPLICAS].map((name) =>
    readFileSync(COMPOSE + name, 'utf8').replace(/^\s*#.*$/gm, ''),
  );
  const used = files.flatMap((text) => [...text.matchAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g)]);
  const defaults = new Map(used.map(([, name = '', kind, value = '']) => [name, kind === '-' ? value : '']));
  const shown = parseEnv(readFileSync(`${COMPOSE}.env.example`, 'utf8').replace(/^#(?=[A-Z0-9_]+=)/gm, ''));
  expect(Object.fromEntries(Object.entries(shown).sort())).toEqual(Object.fromEntries([...defaults].sort()));
});

test('what the service is given are settings that it reads', () => {
  for (const name of ['askdocs', 'index', 'askdocs-2']) {
    const given = Object.keys(replicas.services[name]?.environment ?? {}).map((key) => key.replace(/^ASKDOCS_/, ''));
    // Of the search server, which the service hands it on to.
    const known = [...Object.keys(SETTINGS), 'SEARCH_TOKEN'];
    expect(given.filter((key) => !known.includes(key))).toEqual([]);
  }
});

test('the collector: what its pipelines name is there, and it sends to Jaeger', () => {
  const config = parse(readFileSync(`${COMPOSE}otel-collector.yaml`, 'utf8'));
  for (const pipeline of Object.values<Record<string, string[]>>(config.service.pipelines)) {
    for (const [part, names] of Object.entries(pipeline)) {
      for (const name of names) expect(config[part]).toHaveProperty([name]);
    }
  }
  const [host] = config.exporters.otlp.endpoint.split(':');
  expect(base.services).toHaveProperty([host]);
  expect(base.services.askdocs?.networks).toContain(base.services['otel-collector']?.networks?.[0]);
});

describe('the Dockerfile', () => {
  test('builds on a pinned Node that package.json allows, in stages; nothing runs as root', () => {
    expect(read('Dockerfile')).toMatch(/^ARG NODE_IMAGE=node:(?:2[024])\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/m);
    expect(stages).toHaveLength(2);
    expect(stages.every((stage) => stage[0]?.args[0] === '$' + '{NODE_IMAGE}')).toBe(true);
    const user = image.findIndex(({ name }) => name === 'USER');
    expect(image[user]?.args).toEqual(['node']);
    expect(image.slice(user).map(({ name }) => name)).not.toContain('RUN');
    expect(image.some(({ name }) => name === 'HEALTHCHECK')).toBe(true);
  });

  test('copies what there is, and .dockerignore lets in exactly that', () => {
    const copied = stages
      .flat()
      .filter(({ name, flags }) => name === 'COPY' && !flags.some((flag) => flag.startsWith('--from')))
      .flatMap(({ args }) => args.slice(0, -1).map((path) => path.replace(/^\.\//, '')));
    for (const path of copied) expect(existsSync(new URL(`../${path}`, import.meta.url)), path).toBe(true);
    const allowed =
      read('.dockerignore')
        .match(/^!.*$/gm)
        ?.map((line) => line.slice(1)) ?? [];
    expect([...new Set(copied)].sort()).toEqual(allowed.sort());
  });

  test('image and stack agree on where things are', () => {
    expect(envOf(image)).toMatchObject({ ASKDOCS_MCP_DB: '/data/docs.db', ASKDOCS_MODELS_DIR: '/models' });
    expect(base.services.askdocs?.volumes).toEqual(['data:/data', 'models:/models:ro']);
    expect(base.services.askdocs?.image).toBe(`askdocs:${JSON.parse(read('package.json')).version}`);
  });
});

const client = [['docker', 'compose'], ['docker-compose']].find(
  ([program = '', ...args]) => spawnSync(program, [...args, 'version'], { stdio: 'ignore' }).status === 0,
);

describe.skipIf(client === undefined)(
  `docker compose config${client === undefined ? ' (skipped: there is no docker compose here; the schema above was checked)' : ''}`,
  () => {
    const config = (files: string[], env: Record<string, string> = {}) => {
      const [program = '', ...args] = client ?? [];
      const named = ['compose.yaml', ...files].flatMap((file) => ['-f', COMPOSE + file]);
      const profiles = ['observability', 'loadtest'].flatMap((profile) => ['--profile', profile]);
      const all = [...args, ...named, ...profiles, 'config', '--format', 'json'];
      return spawnSync(program, all, {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      });
    };

    test.each([
      [[], {}],
      [['milvus.yaml'], {}],
      [['cuda.yaml', 'milvus.yaml'], {}],
      [['cuda.yaml'], {}],
      [['rocm.yaml'], { RENDER_GID: '109' }],
      [['local-model.yaml'], { LLM_GGUF: '/models/x.gguf' }],
      [['cuda.yaml', 'local-model.yaml'], { LLM_GGUF: '/models/x.gguf' }],
    ] as [string[], Record<string, string>][])('compose.yaml with %j is read', (files, env) => {
      const { status, stdout, stderr } = config(files, env);
      expect(stderr).toBe('');
      expect(status).toBe(0);
      const { services } = files.includes(REPLICAS) ? replicas : base;
      expect(Object.keys(JSON.parse(stdout).services).sort()).toEqual(Object.keys(services).sort());
    });

    test('what must be set is asked for in a sentence', () => {
      expect(config(['rocm.yaml']).stderr).toContain('set it to the number of the group render');
      expect(config(['local-model.yaml']).stderr).toContain('set it to the path of a GGUF file');
    });
  },
);

test('no compose file goes unchecked here', () => {
  const known = ['compose.yaml', ...OVERLAYS, REPLICAS, 'otel-collector.yaml'];
  expect(readdirSync(COMPOSE).filter((name) => /\.ya?ml$/.test(name) && !known.includes(name))).toEqual([]);
});
