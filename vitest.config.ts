/**
 * How the tests run. `npm test` runs the projects `shared` and `isolated` in five minutes. `npm run test:soak` runs what takes longer:
 * storms, sweeps and long runs in files named `*.soak.test.ts`, and all of what `*.sampled.test.ts` run a sample of in `npm test`.
 */
import { defineConfig } from 'vitest/config';
import { bundlePackage } from './scripts/bind-packages.mjs';
import { LongestFirst } from './test/support/longest-first.ts';
import { SkipSummary } from './test/support/skip-summary.ts';
import { SlowestFiles } from './test/support/slowest-files.ts';

const report = process.env.SONDE_TEST_REPORT;

const SOAK = 'test/**/*.soak.test.ts';

/**
 * Files that change their process (TZ, the working folder) or measure it, and that compute for so long that the modules of other
 * files in their process slow them down. All others share processes, which saves a third of their cost.
 */
const ISOLATED = [
  'test/{runners,sandbox}/**/*.test.ts',
  'test/*.test.ts',
  'test/gate/{report,wait,words}/**/*.test.ts',
  'test/profiles/files.test.ts',
  'test/service/engine/month.sampled.test.ts',
  'test/service/engine/heartbeats/sqlite.test.ts',
  'test/terminal/time.test.ts',
];

export default defineConfig({
  // As in the bundles, so that tables measure text like the rest of sonde.
  resolve: { alias: { 'cli-table3': await bundlePackage(import.meta.dirname, 'cli-table3') } },
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: [
      'default',
      new SkipSummary(),
      new SlowestFiles(),
      ...(report ? [['json', { outputFile: report }] satisfies [string, object]] : []),
    ],
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...ISOLATED, SOAK],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED, exclude: [SOAK] } },
      {
        extends: true,
        test: {
          name: 'soak',
          include: [SOAK, 'test/**/*.sampled.test.ts'],
          env: { SONDE_TEST_SOAK: '1' },
          sequence: { groupOrder: 1 },
          // Long tests wait more than they compute.
          maxWorkers: 4,
        },
      },
    ],
    retry: 0,
    // A limit for tests that hang: they must not fail on a slow machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
