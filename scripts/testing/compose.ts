/** The compose files of the project as data: the part of the specification that they use, and how overlays merge. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

export const COMPOSE = fileURLToPath(new URL('../../compose/', import.meta.url));

const words = z.array(z.string());
const env = z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string());
const duration = z.string().regex(/^\d+(?:ms|s|m|h)$/);
const healthcheck = z.union([
  z.strictObject({ disable: z.literal(true) }),
  z.strictObject({
    test: z.tuple([z.literal('CMD')], z.string()),
    interval: duration,
    timeout: duration,
    retries: z.number().int().positive(),
    start_period: duration.optional(),
  }),
]);
const bind = z.strictObject({
  type: z.literal('bind'),
  source: z.string(),
  target: z.string().startsWith('/'),
  read_only: z.literal(true),
  bind: z.strictObject({ create_host_path: z.literal(false) }),
});
const gpu = z.strictObject({ driver: z.literal('nvidia'), count: z.string(), capabilities: words });

/** Every key that the files use, and none besides: a misspelt one is an error here as it is for the client. */
const serviceSchema = z
  .strictObject({
    image: z.string(),
    build: z.strictObject({ context: z.string() }),
    profiles: words,
    init: z.boolean(),
    read_only: z.boolean(),
    user: z.string(),
    cap_drop: words,
    security_opt: words,
    group_add: words,
    devices: words,
    tmpfs: words,
    logging: z.strictObject({ driver: z.string(), options: z.record(z.string(), z.string()) }),
    restart: z.enum(['no', 'unless-stopped']),
    entrypoint: words,
    command: words,
    environment: env,
    volumes: z.array(z.union([z.string(), bind])),
    ports: words,
    networks: words,
    depends_on: z.record(
      z.string(),
      z.strictObject({ condition: z.enum(['service_healthy', 'service_completed_successfully']) }),
    ),
    healthcheck,
    stop_grace_period: duration,
    deploy: z.strictObject({
      resources: z.strictObject({ reservations: z.strictObject({ devices: z.array(gpu) }) }),
    }),
  })
  .partial();
export type ComposeService = z.infer<typeof serviceSchema>;

const fileSchema = z
  .object({
    name: z.string().optional(),
    services: z.record(z.string().regex(/^[a-z0-9-]+$/), serviceSchema),
    networks: z.record(z.string(), z.strictObject({ internal: z.boolean().optional() })).default({}),
    volumes: z.record(z.string(), z.strictObject({})).default({}),
  })
  .catchall(z.unknown())
  .refine((file) => Object.keys(file).every((key) => KNOWN.test(key)), 'has a key that compose does not know');
const KNOWN = /^(?:name|services|networks|volumes|x-[a-z-]+)$/;
export type ComposeFile = z.infer<typeof fileSchema>;

/** One file, its aliases resolved. */
export function readCompose(name: string): ComposeFile {
  return fileSchema.parse(parse(readFileSync(COMPOSE + name, 'utf8'), { merge: true }));
}

/** As the client merges: maps by key, lists one after the other, argument lists replaced. */
export function overlaid(base: ComposeFile, overlay: ComposeFile): ComposeFile {
  const services = { ...base.services };
  for (const [name, more] of Object.entries(overlay.services)) {
    const under = services[name] ?? {};
    const environment = { ...under.environment, ...more.environment };
    const lists = {
      volumes: joined(under.volumes, more.volumes),
      networks: joined(under.networks, more.networks),
      ports: joined(under.ports, more.ports),
    };
    const present = Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
    const depends_on = { ...under.depends_on, ...more.depends_on };
    services[name] = { ...under, ...more, environment, depends_on, ...present };
  }
  return {
    ...base,
    services,
    networks: { ...base.networks, ...overlay.networks },
    volumes: { ...base.volumes, ...overlay.volumes },
  };
}

function joined<T>(one: readonly T[] = [], more: readonly T[] = []): T[] {
  return [...new Set([...one, ...more])];
}
