import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{harness,service,scripts,loadtest}/**/*.test.ts'],
    exclude: ['**/*.integration.test.ts'],
    // A busy machine is late; what is waited for here comes in milliseconds on an idle one.
    testTimeout: 90_000,
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 60_000,
  },
});
