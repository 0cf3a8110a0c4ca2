/**
 * How the tests run: no retries, two files at a time; a report for the gate where one is asked for. Files share a process and what it
 * has loaded, which is a third of what they cost; those that change or measure their process have one each.
 */
import { defineConfig } from 'vitest/config';

const report = process.env.SONDE_TEST_REPORT;

/**
 * What only looks at processes of its own, what changes (TZ, the folder) or measures (memory) the one that it runs in, and what
 * computes for so long that a process full of others' code costs it several times its time.
 */
const ALONE = [
  'test/{e2e,examples,runners,sandbox,screens}/**/*.test.ts',
  'test/*.test.ts',
  'test/gate/wait/schedules/schedules.test.ts',
  'test/profiles/files.test.ts',
  'test/service/engine/month.test.ts',
  'test/service/heartbeats/{postgres,sqlite}.test.ts',
  'test/terminal/time.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 2,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
    projects: [
      {
        extends: true,
        test: { name: 'together', include: ['test/**/*.test.ts'], exclude: ALONE, isolate: false },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
    retry: 0,
    // For what hangs alone: the slowest without a limit of its own takes 13 s on two quick cores.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
