import { describe, expect, it } from 'vitest';
import { loadConfig } from './config.ts';

describe('loadConfig', () => {
  it('needs nothing, and has the documented defaults', () => {
    const config = loadConfig({});
    expect(config).toMatchObject({ host: '127.0.0.1', port: 8000, topK: 5, maxConcurrent: 4, warmup: true });
    expect(config.llm).toMatchObject({
      provider: 'extractive',
      maxTokens: 512,
      temperature: 0,
      readTimeoutMs: 60_000,
      maxRetries: 2,
    });
    expect(config.llm.cachePrompt).toBe(true);
    expect(config.search).toEqual({ command: undefined, db: 'data/docs.db', env: {} });
  });

  it('is frozen all through', () => {
    const config = loadConfig({});
    for (const part of [config, config.llm, config.search, config.otel]) expect(Object.isFrozen(part)).toBe(true);
  });

  it('reads values, trims them, and takes an empty one as not set', () => {
    const config = loadConfig({
      ASKDOCS_LLM_PROVIDER: ' llamacpp ',
      ASKDOCS_LLM_BASE_URL: 'http://127.0.0.1:9/v1/',
      ASKDOCS_LLM_READ_TIMEOUT_S: '.5',
      ASKDOCS_WARMUP: 'No',
      ASKDOCS_TOP_K: '',
      ASKDOCS_MCP_COMMAND: `node "a b.js" --db 'x y' --flag=1`,
      UNRELATED: 'x',
    });
    expect(config.llm).toMatchObject({ provider: 'llamacpp', baseUrl: 'http://127.0.0.1:9/v1', readTimeoutMs: 500 });
    expect(config).toMatchObject({ warmup: false, topK: 5 });
    expect(config.search.command).toEqual(['node', 'a b.js', '--db', 'x y', '--flag=1']);
  });

  it('hands the search server its own settings and no key', () => {
    const { search } = loadConfig({
      CRAG_MIN_COSINE: '-1',
      ASKDOCS_EMBED_MODEL: 'm',
      ASKDOCS_LLM_API_KEY: 'secret',
      PATH: '/bin',
    });
    expect(search.env).toEqual({ CRAG_MIN_COSINE: '-1', ASKDOCS_EMBED_MODEL: 'm' });
  });

  it.each([
    ['ASKDOCS_LLM_PROVIDER', 'gpt', 'extractive, llamacpp or openai'],
    ['ASKDOCS_LLM_BASE_URL', 'localhost:8081', 'an http or https address'],
    ['ASKDOCS_LLM_MAX_TOKENS', '0', 'from 1 to'],
    ['ASKDOCS_LLM_MAX_TOKENS', '12.5', 'a whole number'],
    ['ASKDOCS_LLM_TEMPERATURE', '3', 'from 0 to 2'],
    ['ASKDOCS_LLM_READ_TIMEOUT_S', '1m', 'seconds'],
    ['ASKDOCS_LLM_MAX_RETRIES', '-1', 'from 0 to 10'],
    ['ASKDOCS_TOP_K', '21', 'from 1 to 20'],
    ['ASKDOCS_MAX_CONCURRENT', 'many', 'a whole number'],
    ['ASKDOCS_WARMUP', 'maybe', 'true or false'],
    ['ASKDOCS_PORT', '65536', 'from 0 to 65535'],
    ['ASKDOCS_MCP_COMMAND', 'node "a', 'a command line'],
    ['ASKDOCS_OTEL_ENDPOINT', 'x', 'an http or https address'],
    ['ASKDOCS_LLM_PRICE_INPUT_PER_MTOK', '0x10', 'US dollars'],
  ])('refuses %s=%s with a sentence', (name, value, accepted) => {
    const act = () => loadConfig({ [name]: value });
    expect(act).toThrow(name);
    expect(act).toThrow(JSON.stringify(value));
    expect(act).toThrow(accepted);
  });

  it('wants a model for openai, and never shows a key', () => {
    expect(() => loadConfig({ ASKDOCS_LLM_PROVIDER: 'openai', ASKDOCS_LLM_API_KEY: 'sk-1' })).toThrow(
      /ASKDOCS_LLM_MODEL is "".*no default/,
    );
  });

  it('reports a name it does not know', () => {
    expect(loadConfig({ ASKDOCS_TOPK: '3', ASKDOCS_TOP_K: '3', ASKDOCS_INTEGRATION: '1' }).unknown).toEqual([
      'ASKDOCS_TOPK',
    ]);
  });
});
