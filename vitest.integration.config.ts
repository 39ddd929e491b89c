import { defineConfig } from 'vitest/config';

/** Tests against the real embedder and a real llama.cpp server; each says what it needs. */
export default defineConfig({
  test: {
    include: ['{harness,service,scripts,loadtest}/**/*.integration.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
