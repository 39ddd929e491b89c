import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{harness,service,scripts,loadtest}/**/*.test.ts'],
    exclude: ['**/*.integration.test.ts'],
    testTimeout: 30_000,
    // A busy machine is late; what is waited for here comes in milliseconds on an idle one.
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
  },
});
