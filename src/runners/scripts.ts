/** What scripts run with, in the service and in an agent: the browser, runtimes and engines of this machine, in the sandbox it has. */
import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { makeFolder } from '../base/folder.ts';
import type { Sandbox } from '../sandbox/index.ts';
import type { DenyAddress } from './address-policy.ts';
import type { ModelSettings } from './agentic/model-settings.ts';
import { type AgenticRunner, createAgenticRunner } from './agentic.ts';
import type { ApiCheck } from './api/types.ts';
import { createApiRunner } from './api.ts';
import { type BrowserFinder, findBrowser } from './browser/find-browser.ts';
import { createPrograms } from './browser/programs.ts';
import { type FoundRuntime, findRuntimes } from './browser/runtimes.ts';
import { type BrowserRunner, createBrowserRunner } from './browser.ts';
import { engines, REACHING } from './suite/engines.ts';
import { createSuiteRunner, type SuiteRunner } from './suite.ts';
import type { RunnerInTurn } from './types.ts';

export interface BrowserSettings {
  /** The browser that the user names; left out: one that is found. */
  readonly named?: string | undefined;
  /** How many run at once. */
  readonly atOnce: number;
  /** The folder of the programs that run in a cell: `browser.cjs`, `suite.cjs` and `agentic.cjs`. */
  readonly programs: string;
  /** Holds further runtimes and engines. */
  readonly dataFolder: string;
  /** Holds the browser that `sonde browser install` brought. */
  readonly browsersFolder: string;
  /** The command that installs a browser there; left out: as `noBrowser` has it. */
  readonly installCommand?: string | undefined;
}

export interface BrowserMachine {
  /** Looks for the browser as it is now. */
  readonly findBrowser: BrowserFinder;
  /** Why there is no browser now; undefined where there is one. */
  readonly whyNoBrowser: string | undefined;
  readonly runtimes: readonly FoundRuntime[];
  /** Folders that a cell must be able to read. */
  readonly readable: readonly string[];
}

/** Looks at what there is. */
export async function browserMachine(
  { named, programs, dataFolder, browsersFolder, installCommand }: BrowserSettings,
  env: Readonly<Record<string, string | undefined>>,
  execPath: string,
): Promise<BrowserMachine> {
  makeFolder(browsersFolder);
  const kept = enginesFolder(dataFolder);
  makeFolder(kept);
  const from = join(dirname(programs), 'package.json');
  const find = () =>
    findBrowser({
      ...{ named: named ?? (env.SONDE_BROWSER || undefined), env, from, execPath, installCommand },
      folder: browsersFolder,
    });
  const [browser, runtimes] = await Promise.all([
    find(),
    findRuntimes({ from, folder: join(dataFolder, 'runtimes') }),
  ]);
  const isThere = !('problem' in browser);
  // A browser with a folder of its own is shown to each cell that uses it.
  const beside =
    isThere && browser.folder === undefined ? [dirname(await realpath(browser.executablePath))] : [];
  return {
    ...{ findBrowser: find, whyNoBrowser: isThere ? undefined : browser.problem, runtimes },
    readable: [...beside, kept, ...runtimes.flatMap(({ folders }) => folders)],
  };
}

const enginesFolder = (dataFolder: string) => join(dataFolder, 'engines');

export interface ScriptChecksOptions {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  readonly settings: BrowserSettings;
  readonly machine: BrowserMachine;
  readonly execPath: string;
  readonly refusal: () => Promise<string | undefined>;
  readonly denyAddress: DenyAddress | undefined;
  readonly onError: (message: string, error: unknown) => void;
}

export function browserChecks(options: ScriptChecksOptions): BrowserRunner {
  const { sandbox, clock, settings, machine, execPath, refusal, denyAddress, onError } = options;
  return createBrowserRunner({
    ...{ sandbox, clock, refusal, onError, browser: machine.findBrowser, runtimes: machine.runtimes },
    program: [execPath, join(settings.programs, 'browser.cjs')],
    most: settings.atOnce,
    warm: 1,
    ...(denyAddress === undefined ? {} : { denyAddress }),
  });
}

/** Agentic checks, by that model. None of their browsers waits ready: they run seldom. */
export function agenticChecks(options: ScriptChecksOptions, model: ModelSettings): AgenticRunner {
  const { sandbox, clock, settings, machine, execPath, refusal, denyAddress, onError } = options;
  return createAgenticRunner({
    ...{ sandbox, clock, refusal, onError, denyAddress, model },
    ...{ browser: machine.findBrowser, runtimes: machine.runtimes },
    program: [execPath, join(settings.programs, 'browser.cjs')],
    driver: () => readFile(join(settings.programs, 'agentic.cjs'), 'utf8'),
    most: settings.atOnce,
    warm: 0,
  });
}

/** Checks whose scripts make requests alone: they share what runs them. */
export interface RequestChecks {
  /** Keyed by `checkType`. */
  readonly runners: { readonly API: RunnerInTurn<ApiCheck>; readonly MULTI_STEP: BrowserRunner };
  close(): Promise<void>;
}

export function requestChecks(options: ScriptChecksOptions): RequestChecks {
  const { sandbox, clock, settings, machine, execPath, refusal, denyAddress, onError } = options;
  const without = {
    ...{ sandbox, clock, refusal, onError, denyAddress, browser: null, runtimes: machine.runtimes },
    program: [execPath, join(settings.programs, 'browser.cjs')] as const,
    most: settings.atOnce,
    warm: 1,
  };
  const programs = createPrograms(without);
  return {
    runners: {
      API: createApiRunner({ programs, sandbox }),
      MULTI_STEP: createBrowserRunner({ ...without, programs }),
    },
    close: programs.close,
  };
}

export interface SuiteChecksOptions extends ScriptChecksOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The project folder of that id. */
  readonly archive: (id: string) => Promise<Buffer | undefined>;
}

/** Suites run one at a time, beside all other checks. */
const SUITES_AT_ONCE = 1;

export function suiteChecks(options: SuiteChecksOptions): SuiteRunner {
  const { sandbox, settings, machine, execPath, refusal, denyAddress, archive, env, onError } = options;
  return createSuiteRunner({
    ...{ sandbox, refusal, archive, onError, browser: machine.findBrowser, runtimes: machine.runtimes },
    program: [execPath, join(settings.programs, 'suite.cjs')],
    most: SUITES_AT_ONCE,
    engines: engines({ folder: enginesFolder(settings.dataFolder), execPath, env }),
    installing: Object.fromEntries(REACHING.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
    ...(denyAddress === undefined ? {} : { denyAddress }),
  });
}
