/** Suites for tests: a runner over a real Chromium in real cells, and projects as archives. */

import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { systemClock } from '../../../src/base/clock.ts';
import { findBrowser } from '../../../src/runners/browser/find-browser.ts';
import { createRuntimes } from '../../../src/runners/browser/runtimes.ts';
import { type Attempt, execute } from '../../../src/runners/execute.ts';
import { createEngines, makeEnginesFolder } from '../../../src/runners/suite/engines.ts';
import { createSuiteRunner, type SuiteCheck } from '../../../src/runners/suite/runner.ts';
import { openSandbox, type SandboxOptions } from '../../../src/sandbox/index.ts';
import { BINARY } from '../../support/binary.ts';
import { placeIn } from '../../support/left-files.ts';
import { evaluateInProcess } from '../../support/runners.ts';

/** A suite whose test passes. */
export const GOOD = `
import { test, expect } from '@playwright/test';
test.describe('the shop', () => {
  test('is open @smoke', async ({ page }) => {
    await page.setContent('<h1>Open</h1>');
    await expect(page.locator('h1')).toHaveText('Open');
  });
});
`;
/** A suite whose test fails. */
export const BAD = `
import { test, expect } from '@playwright/test';
test('is closed', async ({ page }) => {
  await page.setContent('<h1>Open</h1>');
  await expect(page.locator('h1')).toHaveText('Closed', { timeout: 200 });
});
`;

const root = join(import.meta.dirname, '../../..');

/** More than a suite of these tests needs on a slow machine, in ms. */
const LONGEST_MS = 280_000;

export interface Suites {
  /** Runs the files of a project as the worker does. */
  run(files: Readonly<Record<string, string>>, check?: Partial<SuiteCheck>, more?: More): Promise<Attempt>;
  close(): Promise<void>;
}

export interface More {
  readonly secrets?: readonly string[];
  /** Cancels it so long after it began, in ms. */
  readonly cancelAfterMs?: number;
}

/** Opens a runner; the caller closes it. `installing`: what only the installation of packages sees. */
export async function openSuites(
  level: SandboxOptions['level'] = 'process',
  installing: Readonly<Record<string, string>> = {},
): Promise<Suites> {
  // A short path: Chromium makes a socket below it, and the path of a socket has 107 bytes at most.
  const folder = await mkdtemp(join(tmpdir(), 's-'));
  // Engines are large: what npm brought once is kept for the next time that the tests run here.
  const kept = join(root, 'node_modules/.cache/sonde/engines');
  mkdirSync(dirname(kept), { recursive: true });
  makeEnginesFolder(kept);
  const { env, execPath, pid } = process;
  const from = join(root, 'package.json');
  const sandbox = await openSandbox({
    ...{ level, folder: join(folder, 'cells'), readable: [root, kept] },
    self: { pid, execPath, kill: (id, signal) => process.kill(id, signal) },
  });
  let archive: Buffer | undefined;
  const place = placeIn(join(folder, 'files'));
  const runner = createSuiteRunner({
    ...{ sandbox, maxInUse: 1, installVariables: installing, onError: () => {} },
    program: [execPath, join(BINARY, '../suite.cjs')],
    browser: () => findBrowser({ env, from, execPath, folder }),
    runtimes: createRuntimes({ from, folder: join(folder, 'runtimes'), env: process.env }),
    engines: createEngines({ folder: kept, execPath, env }),
    archive: async () => archive,
  });
  return {
    async run(files, given = {}, { secrets = [], cancelAfterMs } = {}) {
      const named = Object.entries(files).map(([path, text]) => [path, strToU8(text)] as const);
      archive = Buffer.from(zipSync(Object.fromEntries(named)));
      const check: SuiteCheck = { codeBundleId: 'a'.repeat(64), ...given };
      const stop = new AbortController();
      const turn = await runner.acquireSlot(check, stop.signal);
      if (cancelAfterMs !== undefined) setTimeout(() => stop.abort(), cancelAfterMs);
      try {
        const context = {
          clock: systemClock,
          evaluate: evaluateInProcess,
          location: 'eu-central-1',
          resolvers: () => [],
          ...{ timeoutMs: LONGEST_MS, secrets, files: place },
        };
        return await execute(turn.run, check, context, { deadlineMs: LONGEST_MS, stop, secrets });
      } finally {
        await turn.release();
      }
    },
    async close() {
      await runner.close();
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
