/** A suite that is cancelled while npm installs Playwright ends at once. */
import { rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { createRuntimes } from '../../../src/runners/browser/runtimes.ts';
import { createEngines } from '../../../src/runners/suite/engines.ts';
import { createSuiteRunner } from '../../../src/runners/suite/runner.ts';
import { openSandbox } from '../../../src/sandbox/index.ts';
import { temporaryFolder } from '../../support/folder.ts';

it('stops waiting when it is cancelled during the installation', async () => {
  const folder = await temporaryFolder();
  const waits = join(folder, 'npm.waits');
  writeFileSync(waits, '');
  const npm = 'while [ -e "$0.waits" ]; do sleep 0.05; done; exit 1';
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
  const { execPath, pid } = process;
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
  const installed: string[] = [];
  const stop = new AbortController();
  const runtimes = createRuntimes({
    ...{ from: join(folder, 'package.json'), folder, env },
    onInstall(packages) {
      installed.push(packages);
      stop.abort('cancelled');
    },
  });
  const sandbox = await openSandbox({
    ...{ level: 'process', folder: join(folder, 'cells') },
    self: { pid, execPath, kill: (id, signal) => process.kill(id, signal) },
  });
  const runner = createSuiteRunner({
    ...{ sandbox, runtimes, maxInUse: 1, installVariables: {}, onError: () => {} },
    program: [execPath, 'suite.cjs'],
    browser: async () => ({ problem: 'no browser' }),
    engines: createEngines({ folder, execPath, env }),
    archive: async () => undefined,
  });
  const acquired = runner.acquireSlot({ codeBundleId: 'a'.repeat(64) }, stop.signal);
  await expect(acquired).rejects.toBe('cancelled');
  expect(installed).toEqual([expect.stringMatching(/^Playwright \d/)]);
  rmSync(waits);
  await expect(runtimes.select(null)).rejects.toThrow('npm cannot install it');
  await runner.close();
  await sandbox.close();
});
