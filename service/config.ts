/** Turns an environment into one frozen, validated configuration. Nothing else of the service reads settings. */
import { CodedError, MAX_K } from './contract.ts';
import {
  commandLine,
  decimal,
  flag,
  type Kind,
  list,
  oneOf,
  optionalText,
  optionalUrl,
  secretText,
  share,
  text,
  url,
  whole,
} from './setting-kinds.ts';

export const PREFIX = 'ASKDOCS_';
export type Environment = Readonly<Record<string, string | undefined>>;
export type ProviderName = 'extractive' | 'llamacpp' | 'openai';

/**
 * Bounds that protect the process and are not settings: each one is far above what honest use needs.
 * Times are milliseconds, sizes bytes unless the name says otherwise.
 */
export const LIMITS = {
  /** A question of 2000 characters is 8 KB of UTF-8 at most; escaped as \uXXXX it still fits. */
  bodyBytes: 16 * 1024,
  /** Chat clients and agents send the whole conversation along, of which one question counts. */
  chatBodyBytes: 256 * 1024,
  /** A body that trickles in holds a socket, not a slot; curl on a bad line still ends within this. */
  bodyMs: 15_000,
  /** Longest a retrieval may take: a search takes milliseconds, a cold embedder seconds. */
  retrievalMs: 20_000,
  /** Longest the retrieval server may take to start: on a cold disk the embedder loads in a few seconds. */
  retrievalStartMs: 30_000,
  /** A passage is a few hundred words; what is longer is cut, lest one answer carry megabytes. */
  passageChars: 32_000,
  /** Longest an event may wait for a reader that does not read: then the reader is dropped. */
  slowReaderMs: 30_000,
  /** Silence after which a comment is sent; proxies close what is silent for a minute. */
  heartbeatMs: 15_000,
  /** How long answers in flight may go on after SIGTERM; below the 30 s that orchestrators give. */
  shutdownMs: 20_000,
  /** Searches without a model at once: they wait in line at one retrieval process. */
  searches: 16,
} as const;
export type Limits = { readonly [name in keyof typeof LIMITS]: number };

export interface LlmConfig {
  readonly provider: ProviderName;
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly readTimeoutMs: number;
  readonly maxRetries: number;
  /** Sent to llama.cpp as `cache_prompt`; off where repetitions must be real. */
  readonly cachePrompt: boolean;
  /** US dollars per million tokens. */
  readonly priceInput: number;
  readonly priceOutput: number;
  readonly gguf: string | undefined;
  /** What part of the model's slots is this replica's: 1 when there is no other. */
  readonly slotsShare: number;
}

export interface SearchConfig {
  /** Program and arguments of the retrieval server, or undefined for the built-in one. */
  readonly command: readonly string[] | undefined;
  readonly db: string;
  /** Handed to the retrieval server: its own settings, and no key of ours. */
  readonly env: Readonly<Record<string, string>>;
}

/** Who may use the service from where. */
export interface AccessConfig {
  /** Any of them opens the service; none: it is open. */
  readonly keys: readonly string[];
  /** Origins whose pages may call the service from a browser; `*` is any. */
  readonly corsOrigins: readonly string[];
  /** Names besides the loopback ones that a request may call this host by. */
  readonly allowedHosts: readonly string[];
}

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly llm: LlmConfig;
  readonly search: SearchConfig;
  readonly topK: number;
  readonly maxConcurrent: number;
  /** What the fences around passages are made with; undefined: drawn once and kept beside the index. */
  readonly fenceSecret: string | undefined;
  readonly warmup: boolean;
  readonly otel: {
    readonly endpoint: string | undefined;
    readonly serviceName: string;
    /** Whether spans hold questions, passages and answers. */
    readonly content: boolean;
  };
  /** Whether the log may hold questions. */
  readonly logQuestions: boolean;
  readonly access: AccessConfig;
  readonly limits: Limits;
  /** Variables with our prefix that are no setting: probably misspelt, said at the start. */
  readonly unknown: readonly string[];
}

/** Reads every `ASKDOCS_` variable; a wrong one throws a sentence with its name, what was given and what is accepted. */
export function loadConfig(env: Environment): Config {
  const read = <T>(name: keyof typeof SETTINGS, kind: Kind<T>): T => readSetting(env, name, kind);
  const provider = read('LLM_PROVIDER', oneOf('extractive', 'llamacpp', 'openai'));
  const llm: LlmConfig = {
    provider,
    baseUrl: read('LLM_BASE_URL', url(BASE_URLS[provider])),
    model: read('LLM_MODEL', text(provider === 'extractive' ? 'extractive' : 'default')),
    apiKey: read('LLM_API_KEY', optionalText),
    maxTokens: read('LLM_MAX_TOKENS', whole(512, 1, 32_768)),
    temperature: read('LLM_TEMPERATURE', decimal(0, 0, 2)),
    readTimeoutMs: read('LLM_READ_TIMEOUT_S', decimal(60, 0.05, 300)) * 1000,
    maxRetries: read('LLM_MAX_RETRIES', whole(2, 0, 10)),
    cachePrompt: read('LLM_CACHE_PROMPT', flag(true)),
    priceInput: read('LLM_PRICE_INPUT_PER_MTOK', decimal(0, 0, 100_000)),
    priceOutput: read('LLM_PRICE_OUTPUT_PER_MTOK', decimal(0, 0, 100_000)),
    gguf: read('LLM_GGUF', optionalText),
    slotsShare: read('LLM_SLOTS_SHARE', share),
  };
  if (provider === 'openai' && llm.model === 'default') throw refusal('LLM_MODEL', '', SETTINGS.LLM_MODEL);
  return freeze({
    host: read('HOST', text('127.0.0.1')),
    port: read('PORT', whole(8000, 0, 65_535)),
    llm,
    search: {
      command: read('MCP_COMMAND', commandLine),
      db: read('MCP_DB', text('data/docs.db')),
      env: searchEnv(env),
    },
    topK: read('TOP_K', whole(5, 1, MAX_K)),
    maxConcurrent: read('MAX_CONCURRENT', whole(4, 1, 1000)),
    warmup: read('WARMUP', flag(true)),
    fenceSecret: read('FENCE_SECRET', secretText),
    otel: {
      endpoint: read('OTEL_ENDPOINT', optionalUrl),
      serviceName: read('OTEL_SERVICE_NAME', text('askdocs')),
      content: read('OTEL_CONTENT', flag(false)),
    },
    logQuestions: read('LOG_QUESTIONS', flag(false)),
    access: {
      keys: read('API_KEYS', list(/^[\x21-\x2b\x2d-\x7e]{8,}$/)),
      corsOrigins: read('CORS_ORIGINS', list(/^(?:\*|https?:\/\/[^/\s]+)$/)),
      allowedHosts: read('ALLOWED_HOSTS', list(/^[^/\s:]+$|^\[[0-9a-f:]+\]$/i)),
    },
    limits: LIMITS,
    unknown: unknownNames(env),
  });
}

/** Every setting with what it accepts, as its error message and the documentation say it. */
export const SETTINGS = {
  HOST: 'an address to listen on',
  PORT: 'a whole number from 0 to 65535 (0 takes any free port)',
  LLM_PROVIDER: 'extractive, llamacpp or openai',
  LLM_BASE_URL: 'an http or https address, such as http://localhost:8081/v1',
  LLM_MODEL: 'the name of a model; with openai there is no default',
  LLM_API_KEY: 'a key',
  LLM_MAX_TOKENS: 'a whole number from 1 to 32768',
  LLM_TEMPERATURE: 'a number from 0 to 2',
  LLM_READ_TIMEOUT_S: 'seconds, from 0.05 to 300 (after that Node gives up on a silent connection)',
  LLM_MAX_RETRIES: 'a whole number from 0 to 10',
  LLM_CACHE_PROMPT: 'true or false',
  LLM_PRICE_INPUT_PER_MTOK: 'US dollars per million tokens, 0 or more',
  LLM_PRICE_OUTPUT_PER_MTOK: 'US dollars per million tokens, 0 or more',
  LLM_GGUF: 'the path of a GGUF file',
  LLM_SLOTS_SHARE: 'a part of 1, such as 1/3 or 0.5',
  MCP_COMMAND: 'a command line that starts a retrieval server on stdio',
  MCP_DB: 'the path of an index, or milvus://HOST:PORT/COLLECTION',
  EMBED_MODEL: 'the name or folder of an embedder',
  EMBED_URL: 'an http or https address',
  TOP_K: `a whole number from 1 to ${MAX_K}`,
  MAX_CONCURRENT: 'a whole number from 1 to 1000',
  WARMUP: 'true or false',
  FENCE_SECRET: '16 or more characters, the same for all replicas of a service',
  OTEL_ENDPOINT: 'an http or https address',
  OTEL_SERVICE_NAME: 'a name',
  OTEL_CONTENT: 'true or false',
  LOG_QUESTIONS: 'true or false',
  API_KEYS: 'keys of 8 or more printable characters, divided by commas',
  CORS_ORIGINS: 'origins such as https://docs.example.org, divided by commas, or *',
  ALLOWED_HOSTS: 'names of hosts without a port, divided by commas',
} as const;

const BASE_URLS: Record<ProviderName, string> = {
  extractive: '',
  llamacpp: 'http://localhost:8081/v1',
  openai: 'https://api.openai.com/v1',
};

function readSetting<T>(env: Environment, name: keyof typeof SETTINGS, kind: Kind<T>): T {
  const given = env[PREFIX + name]?.trim();
  const parsed = kind.safeParse(given === '' ? undefined : given);
  if (parsed.success) return parsed.data;
  throw refusal(name, given ?? '', SETTINGS[name]);
}

function refusal(name: string, given: string, accepted: string): CodedError {
  const shown = /KEY|SECRET/.test(name) ? '(not shown)' : JSON.stringify(given);
  return new CodedError('bad_config', `${PREFIX}${name} is ${shown}; it must be ${accepted}.`);
}

/** Read by other parts of askdocs (the search server, the harness, the tests). */
const OTHERS = /^(?:INTEGRATION|API_KEY|K6|CACHE|TARGET_\w+|MODELS_\w+|EMBED_\w+|JUDGE_\w+|SEARCH_\w+)$/;

function unknownNames(env: Environment): string[] {
  const own = Object.keys(env).filter((name) => name.startsWith(PREFIX) && env[name] !== undefined);
  return own.filter((name) => !(name.slice(PREFIX.length) in SETTINGS) && !OTHERS.test(name.slice(PREFIX.length)));
}

function searchEnv(env: Environment): Record<string, string> {
  const passed = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      Boolean(entry[1]) &&
      /^(?:CRAG_|ASKDOCS_EMBED_|ASKDOCS_MODELS_|ASKDOCS_SEARCH_|NODE_EXTRA_CA_CERTS$)/.test(entry[0]),
  );
  return Object.fromEntries(passed);
}

function freeze(config: Config): Config {
  for (const part of [config.llm, config.search, config.otel, config.access]) Object.freeze(part);
  return Object.freeze(config);
}
