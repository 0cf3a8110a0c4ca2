/** How the tests run: no retries, two files at a time; a report for the gate where one is asked for. */
import { defineConfig } from 'vitest/config';

const report = process.env.SONDE_TEST_REPORT;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    retry: 0,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
});
