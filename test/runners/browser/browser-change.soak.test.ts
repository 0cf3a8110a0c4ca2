/** A browser that is installed while the service runs is used by the next run. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { BrowserFinder } from '../../../src/runners/browser/find-browser.ts';
import { chromiumPath } from '../../support/chromium.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { openRunner, type TestRunner } from './support.ts';

const SCRIPT = `
const browser = await require('playwright').chromium.launch();
await browser.newPage();
`;

async function untilReady({ runner }: TestRunner): Promise<void> {
  while (runner.describe().ready !== 1) await new Promise((resolve) => setTimeout(resolve, 20));
}

it('looks for the browser before each run, and starts no run in a former one that waits', async () => {
  const folder = await temporaryFolder();
  const log = join(folder, 'log');
  const real = await chromiumPath();
  const [one, other] = ['one', 'other'].map((name) => {
    const executablePath = join(folder, name);
    writeFileSync(executablePath, `#!/bin/sh\necho ${name} >>${log}\nexec ${real} "$@"\n`, { mode: 0o755 });
    return { executablePath, source: 'installed' } as const;
  });
  if (one === undefined || other === undefined) throw new Error('there are two');
  let found: Awaited<ReturnType<BrowserFinder>> = { problem: 'there is none yet' };
  const runs = await openRunner({ warm: 1, find: async () => found });
  try {
    expect((await runs.run({ script: SCRIPT })).errors).toEqual(['there is none yet']);
    found = one;
    expect((await runs.run({ script: SCRIPT })).errors).toEqual([]);
    await untilReady(runs);
    found = other;
    expect(runs.runner.describe().ready).toBe(1);
    writeFileSync(log, '');
    expect((await runs.run({ script: SCRIPT })).errors).toEqual([]);
    await untilReady(runs);
    expect(new Set(readFileSync(log, 'utf8').trim().split('\n'))).toEqual(new Set(['other']));
  } finally {
    await runs.close();
  }
});
