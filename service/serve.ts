/** Starts the service: configuration -> parts -> listening. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { toNodeHandler } from 'h3/node';
import { type Listener, listen } from 'listhen';
import { isLoopback } from './access.ts';
import { createAdmission } from './admission.ts';
import { type AppDeps, createApp } from './app.ts';
import type { Config } from './config.ts';
import { answerOddConnections } from './connection.ts';
import { CodedError } from './contract.ts';
import { createExtractive } from './generate/extractive.ts';
import { createModel } from './generate/openai.ts';
import type { Provider } from './generate/provider.ts';
import { createReport } from './info.ts';
import { createLogger, type Logger } from './log.ts';
import { createMetrics } from './metrics.ts';
import { createRetriever, type Retriever } from './retrieve/client.ts';
import { loadSecret } from './secret.ts';
import { createStats } from './stats.ts';
import { createTelemetry } from './telemetry.ts';
import { createWork } from './work.ts';

export interface Service {
  url: string;
  /** Stops accepting, lets answers finish within the bound, ends the rest with an error, closes the child. */
  close(): Promise<void>;
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
}

/** The parts of the pipeline, without HTTP. */
export interface Pipeline {
  retriever: Retriever;
  provider: Provider;
  topK: number;
  prices: { input: number; output: number };
  log: Logger;
}

export interface StartOptions {
  log?: Logger;
  /** Ends the waiting for warm-up: the service is to be closed before it was ready. */
  stop?: AbortSignal;
}

/** Resolves when the service listens; a missing index or a taken port stops it with a sentence. */
export async function startService(config: Config, options: StartOptions = {}): Promise<Service> {
  const log = options.log ?? createLogger(process.stderr);
  for (const name of config.unknown) log.warn(`${name} is no setting of askdocs and was not read`);
  if (!isLoopback(config.host) && config.access.keys.length === 0) {
    log.warn(
      `ASKDOCS_HOST is ${config.host}: whoever reaches this address may ask; set ASKDOCS_API_KEYS to need a key`,
    );
  }
  const pipeline = createPipeline(config, log);
  const report = createReport(config, pipeline);
  const admission = createAdmission(config.maxConcurrent);
  const metrics = createMetrics(admission);
  const deps: AppDeps = {
    ...pipeline,
    admission,
    metrics,
    stats: metrics.count(createStats()),
    telemetry: await createTelemetry(config, log),
    logQuestions: config.logQuestions,
    host: config.host,
    accessConfig: config.access,
    work: createWork(),
    limits: config.limits,
    ...report,
  };
  const listener = await open(config, deps).catch(async (error: unknown) => {
    await pipeline.retriever.close();
    throw error;
  });
  if (config.warmup) await Promise.race([report.warmUp(), aborted(options.stop)]);
  const url = listener.url.replace(/\/$/, '');
  log.info('listening', { url, provider: pipeline.provider.name, model: pipeline.provider.model });
  let closing: Promise<void> | undefined;
  return {
    url,
    close: () => {
      closing ??= shutDown(listener, deps);
      return closing;
    },
  };
}

/** Retrieval and provider as configured; nothing is started yet. */
export function createPipeline(config: Config, log: Logger): Pipeline {
  return {
    retriever: createRetriever({ command: searchCommand(config), env: searchEnv(config), limits: config.limits, log }),
    provider: createProvider(config, log),
    topK: config.topK,
    prices: { input: config.llm.priceInput, output: config.llm.priceOutput },
    log,
  };
}

function createProvider(config: Config, log: Logger): Provider {
  if (config.llm.provider === 'extractive') return createExtractive();
  const { llm, maxConcurrent } = config;
  return createModel({ llm, maxConcurrent, secret: secretOf(config, log), log });
}

/** Replicas that share one secret share the prompts that the model's server has cached. */
function secretOf({ fenceSecret, search }: Config, log: Logger): Uint8Array {
  if (fenceSecret !== undefined) return createHash('sha256').update(fenceSecret).digest();
  return loadSecret(search.db, log);
}

/** The built-in search server needs an index; another server looks after its own. */
function searchCommand({ search }: Config): readonly string[] {
  if (search.command !== undefined) return search.command;
  if (!isRemote(search.db) && !existsSync(search.db)) {
    throw new CodedError(
      'not_found',
      `There is no index at ${search.db}. Make one first: askdocs index FOLDER --db ${search.db}`,
    );
  }
  const server = fileURLToPath(new URL('./search/server.ts', import.meta.url));
  return [
    process.execPath,
    '--import',
    import.meta.resolve('tsx'),
    server,
    ...(isRemote(search.db) ? [] : ['--db', search.db]),
  ];
}

/** An index that an engine keeps; its address may hold a password, which a command line would show to everybody. */
function isRemote(db: string): boolean {
  return /^milvuss?:\/\//i.test(db);
}

/** Our own server sends its spans where we send ours; what another one would do with the address is not known. */
function searchEnv({ search, otel }: Config): Record<string, string> {
  const own = isRemote(search.db) ? { ...search.env, CRAG_DB: search.db } : { ...search.env };
  if (search.command !== undefined || otel.endpoint === undefined) return own;
  return { ...own, ASKDOCS_OTEL_ENDPOINT: otel.endpoint, ASKDOCS_OTEL_SERVICE_NAME: otel.serviceName };
}

async function open(config: Config, deps: AppDeps): Promise<Listener> {
  try {
    const listener = await listen(toNodeHandler(createApp(deps)), {
      isProd: true,
      hostname: config.host,
      // listhen takes 0 for "3000 if it is free"; any free port is what 0 means here.
      port: config.port === 0 ? { random: true } : config.port,
      autoClose: false,
      showURL: false,
    });
    // Longer than what proxies keep open, so that it is never us who closes a connection about to be used.
    listener.server.keepAliveTimeout = 65_000;
    answerOddConnections(listener.server as Server);
    return listener;
  } catch (error) {
    throw new CodedError(
      'unavailable',
      `Cannot listen on ${config.host} port ${config.port}; is it taken? Choose another with --port.`,
      { cause: error },
    );
  }
}

async function shutDown(listener: Listener, deps: AppDeps): Promise<void> {
  const { server } = listener;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A proxy keeps its connections busy, and would send us questions to the very end: what still comes closes its connection.
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    response.shouldKeepAlive = false;
  });
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  server.closeIdleConnections();
  await deps.work.idle(deps.limits.shutdownMs);
  deps.work.abortAll(new CodedError('unavailable', 'The service is shutting down.'));
  // The last events still have to reach their readers.
  await deps.work.idle(1000);
  const cut = setTimeout(() => server.closeAllConnections(), 1000);
  await Promise.all([closed, deps.retriever.close(), deps.telemetry.close()]);
  clearTimeout(cut);
  clearInterval(sweep);
}
