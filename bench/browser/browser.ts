/**
 * What a browser check costs beyond its script's own time, from having its turn to its verdict: where a browser waited ready
 * (the warm path), and where everything is started for it. `npm run bench:browser [runs]`.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { findBrowser } from '../../src/runners/browser/find-browser.ts';
import { type BrowserRunner, createBrowserRunner } from '../../src/runners/browser/runner.ts';
import { createRuntimes } from '../../src/runners/browser/runtimes.ts';
import { execute } from '../../src/runners/execute.ts';
import { openSandbox } from '../../src/sandbox/index.ts';
import { evaluateInProcess } from '../../test/support/runners.ts';
import budgets from '../budgets.json';

const RUNS = 10;
const READY_MS = 60_000;

/** Each tells when its own work began and ended: the page is opened, looked at, and clicked. */
const scripts = (url: string) => ({
  'a plain script': `
    const { chromium } = require('playwright');
    const browser = await chromium.launch();
    const began = performance.now();
    const page = await browser.newPage();
    await page.goto('${url}');
    if ((await page.title()) !== 'Bench') throw new Error('wrong title');
    await page.click('a');
    console.log('own', performance.now() - began);
    await browser.close();`,
  'Playwright Test': `
    import { test, expect } from '@playwright/test';
    test('bench', async ({ browser }) => {
      const began = performance.now();
      const page = await browser.newPage();
      await page.goto('${url}');
      await expect(page).toHaveTitle('Bench');
      await page.click('a');
      console.log('own', performance.now() - began);
    });`,
});

interface Measured {
  /** Ms from having its turn to its verdict. */
  readonly whole: number;
  /** Ms that the script says it took itself. */
  readonly own: number;
}

async function measured(runner: BrowserRunner, script: string): Promise<Measured> {
  const { signal } = new AbortController();
  const began = performance.now();
  const turn = await runner.acquireSlot({ script }, signal);
  try {
    const context = {
      clock: systemClock,
      evaluate: evaluateInProcess,
      location: 'eu-central-1',
      resolvers: () => [],
      timeoutMs: 60_000,
    };
    const attempt = await execute(turn.run, { script }, context, { deadlineMs: 60_000 });
    const whole = performance.now() - began;
    if (attempt.hasErrors || attempt.hasFailures) throw new Error(attempt.errors.join('\n'));
    const { console: lines } = attempt.details as { console: readonly { text: string }[] };
    const own = Number(lines.find(({ text }) => text.startsWith('own '))?.text.slice(4));
    return { whole, own };
  } finally {
    await turn.release();
  }
}

async function untilReady(runner: BrowserRunner): Promise<void> {
  const began = performance.now();
  while (runner.describe().ready === 0) {
    if (performance.now() - began > READY_MS) throw new Error('no browser got ready');
    await systemClock.sleep(50);
  }
}

const middle = (values: readonly number[], part: number): number =>
  values.toSorted((one, other) => one - other)[
    Math.min(values.length - 1, Math.floor(values.length * part))
  ] ?? 0;

/** Prints a table; the exit code is 1 if the median of the warm path exceeds its budget. */
export async function main([given]: readonly string[]): Promise<number> {
  const runs = Number(given ?? RUNS);
  const binary = process.env.SONDE_TEST_BINARY ?? '';
  const folder = await mkdtemp(join(tmpdir(), 'sonde-bench-'));
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<title>Bench</title><h1>Bench</h1><a href="#there">there</a>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const from = join(dirname(binary), 'package.json');
  const runtimes = createRuntimes({ from, folder: join(folder, 'runtimes'), env: process.env });
  const { env, execPath, pid } = process;
  const browser = await findBrowser({ env, from, execPath, folder });
  const sandbox = await openSandbox({
    level: 'auto',
    folder: join(folder, 'cells'),
    readable: [dirname(binary), ...(await runtimes.list()).flatMap((runtime) => runtime.folders)],
    self: { pid, execPath, kill: (id, signal) => process.kill(id, signal) },
  });
  let isSlow = false;
  try {
    console.log(`isolation ${sandbox.level}, ${runs} runs each, load ${loadavg()[0]?.toFixed(1)}`);
    console.log('                          own p50  beyond p50  beyond p90   (ms)');
    for (const warm of [1, 0]) {
      const runner = createBrowserRunner({
        ...{ sandbox, clock: systemClock, browser: async () => browser, runtimes, warm, maxInUse: 1 },
        program: [execPath, join(dirname(binary), 'browser.cjs')],
        onError: (message, error) => console.error(message, error),
      });
      for (const [name, script] of Object.entries(scripts(url))) {
        // The first of a kind finds what is ready for the other.
        for (let n = 0; n < (warm ? 2 : 0); n++)
          await measured(runner, script).then(() => untilReady(runner));
        const all: Measured[] = [];
        for (let n = 0; n < runs; n++) {
          if (warm) await untilReady(runner);
          all.push(await measured(runner, script));
        }
        const beyond = all.map(({ whole, own }) => whole - own);
        const numbers = [
          middle(
            all.map(({ own }) => own),
            0.5,
          ),
          middle(beyond, 0.5),
          middle(beyond, 0.9),
        ];
        console.log(
          `${`${name}, ${warm ? 'warm' : 'cold'}`.padEnd(24)} ${numbers.map((ms) => ms.toFixed(0).padStart(9)).join('  ')}`,
        );
        if (warm && middle(beyond, 0.5) > budgets.browser.overhead.most) isSlow = true;
      }
      await runner.close();
    }
  } finally {
    await sandbox.close();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
  return isSlow ? 1 : 0;
}
