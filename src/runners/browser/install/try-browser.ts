/** Tests a browser in the way browser checks use it: in a separate sandbox, with a page to render. */
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { openSandbox, type SandboxOptions } from '../../../sandbox/index.ts';
import { createBrowserRunner } from '../../browser.ts';
import { createEvaluator } from '../../evaluation/evaluator.ts';
import type { FoundBrowser } from '../find-browser.ts';
import { findRuntimes } from '../runtimes.ts';

export interface TrialOptions {
  readonly sandbox: SandboxOptions;
  readonly clock: Clock;
  /** The folder of the programs that run in a cell. */
  readonly programFolder: string;
  /** A file in the folder that contains sonde's own `node_modules`. */
  readonly from: string;
  readonly signal: AbortSignal;
}

/** Compares two screenshots, because a browser without fonts opens pages but renders no text. */
const SCRIPT = `
const { chromium } = require('playwright');
const browser = await chromium.launch();
const page = await browser.newPage();
await page.setContent('<h1>&nbsp;</h1>');
const empty = await page.screenshot();
await page.setContent('<h1>sonde</h1>');
if (empty.equals(await page.screenshot())) throw new Error('it renders no text');
`;
const TRIAL_MS = 60_000;

/** Returns the browser's version. Throws an Error that says why it does not work; rejects with the signal's reason. */
export async function tryBrowser(
  browser: Pick<FoundBrowser, 'executablePath' | 'folder'>,
  { sandbox: options, clock, programFolder, from, signal }: TrialOptions,
): Promise<string> {
  const runtimes = await findRuntimes({ from, folder: join(programFolder, 'no-other-runtimes') });
  const readable = [...(options.readable ?? []), ...runtimes.flatMap(({ folders }) => folders)];
  if (browser.folder === undefined) readable.push(dirname(await realpath(browser.executablePath)));
  const sandbox = await openSandbox({ ...options, readable });
  const browserToTry = { ...browser, source: 'installed by sonde' } as const;
  const runner = createBrowserRunner({
    sandbox,
    clock,
    runtimes,
    maxInUse: 1,
    warm: 0,
    onError: () => {},
    browser: async () => browserToTry,
    program: [options.self.execPath, join(programFolder, 'browser.cjs')],
  });
  try {
    const check = { script: SCRIPT };
    const slot = await runner.acquireSlot(check, signal);
    try {
      const { evaluate } = createEvaluator({
        path: join(programFolder, 'evaluator.cjs'),
        execPath: options.self.execPath,
      });
      const context = { clock, evaluate, location: '', resolvers: () => [], timeoutMs: TRIAL_MS };
      const { errors, details } = await slot.run(check, context, signal);
      if (errors[0] !== undefined) throw new Error(errors[0]);
      return String(details.browser).replace(/^Chromium /, '');
    } finally {
      await slot.release();
    }
  } finally {
    await runner.close();
    await sandbox.close();
  }
}
