/** What the service runs browser checks with: the browser and the runtimes of this machine, in the sandbox it has. */
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { makeFolder } from '../base/folder.ts';
import { type FoundBrowser, findBrowser } from '../runners/browser/find-browser.ts';
import { type FoundRuntime, findRuntimes } from '../runners/browser/runtimes.ts';
import { type BrowserRunner, createBrowserRunner } from '../runners/browser.ts';
import type { DenyAddress } from '../runners/reach.ts';
import type { Sandbox } from '../sandbox/index.ts';

export interface BrowserSettings {
  /** The browser that the user names; left out: one that is found. */
  readonly named?: string | undefined;
  /** How many run at once. */
  readonly atOnce: number;
  /** The program that runs in a cell: `browser.cjs` beside the entry. */
  readonly program: string;
  /** Holds further runtimes, and what a browser from npm is unpacked to. */
  readonly dataFolder: string;
}

export interface BrowserMachine {
  readonly browser: FoundBrowser | { readonly problem: string };
  readonly runtimes: readonly FoundRuntime[];
  /** Folders that a cell must be able to read. */
  readonly readable: readonly string[];
}

/** Looks at what there is. */
export async function browserMachine(
  { named, program, dataFolder }: BrowserSettings,
  env: Readonly<Record<string, string | undefined>>,
  execPath: string,
): Promise<BrowserMachine> {
  const folder = join(dataFolder, 'browser');
  makeFolder(folder);
  const from = join(dirname(dirname(program)), 'package.json');
  const [browser, runtimes] = await Promise.all([
    findBrowser({ named: named ?? (env.SONDE_BROWSER || undefined), env, from, execPath, folder }),
    findRuntimes({ from, folder: join(dataFolder, 'runtimes') }),
  ]);
  const programs = 'problem' in browser ? [] : [dirname(await realpath(browser.executablePath))];
  return { browser, runtimes, readable: [...programs, ...runtimes.flatMap(({ folders }) => folders)] };
}

export interface BrowserChecksOptions {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  readonly settings: BrowserSettings;
  readonly machine: BrowserMachine;
  readonly execPath: string;
  readonly refusal: () => Promise<string | undefined>;
  readonly denyAddress: DenyAddress | undefined;
  readonly onError: (message: string, error: unknown) => void;
}

export function browserChecks(options: BrowserChecksOptions): BrowserRunner {
  const { sandbox, clock, settings, machine, execPath, refusal, denyAddress, onError } = options;
  return createBrowserRunner({
    ...{ sandbox, clock, refusal, onError, browser: machine.browser, runtimes: machine.runtimes },
    program: [execPath, settings.program],
    most: settings.atOnce,
    warm: 1,
    ...(denyAddress === undefined ? {} : { denyAddress }),
  });
}
