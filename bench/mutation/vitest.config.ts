/** Runs the tests of the evaluators with their mutants. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { instrument } from './mutants.ts';
import { SOURCES, TESTS } from './rooms.ts';

const root = process.cwd();

export default defineConfig({
  root,
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      transform: (_, id) =>
        SOURCES.includes(relative(root, id))
          ? { code: instrument(relative(root, id), readFileSync(id, 'utf8')).code, map: null }
          : undefined,
    },
  ],
  test: {
    include: [...TESTS],
    runner: 'bench/mutation/runner.ts',
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
