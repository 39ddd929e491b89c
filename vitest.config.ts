import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{harness,service,scripts,loadtest}/**/*.test.ts'],
    exclude: ['**/*.integration.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
