/** What scripts run with, in the service and in an agent: the browser, runtimes and engines of this machine, in the sandbox it has. */
import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { makeFolder } from '../base/folder.ts';
import type { Sandbox } from '../sandbox/index.ts';
import type { ModelSettings } from './agentic/model-settings.ts';
import { type AgenticRunner, createAgenticRunner } from './agentic.ts';
import type { ApiCheck } from './api/types.ts';
import { createApiRunner } from './api.ts';
import { type BrowserFinder, findBrowser } from './browser/find-browser.ts';
import { createProgramPool } from './browser/program-pool.ts';
import { findRuntimes, type InstalledRuntime } from './browser/runtimes.ts';
import { type BrowserRunner, createBrowserRunner } from './browser.ts';
import type { DenyAddress } from './reach.ts';
import { createEngines, NETWORK_VARIABLES } from './suite/engines.ts';
import { createSuiteRunner, type SuiteRunner } from './suite.ts';
import type { QueuedRunner } from './types.ts';

export interface BrowserSettings {
  /** The browser that the user names; left out: one that is found. */
  readonly executable?: string | undefined;
  /** How many run at once. */
  readonly concurrency: number;
  /** The folder of the programs that run in a cell: `browser.cjs`, `suite.cjs` and `agentic.cjs`. */
  readonly programFolder: string;
  /** Holds further runtimes and engines. */
  readonly dataFolder: string;
  /** Holds the browser that `sonde browser install` brought. */
  readonly browsersFolder: string;
  /** The command that installs a browser there; left out: as `noBrowser` has it. */
  readonly installCommand?: string | undefined;
}

export interface BrowserSetup {
  /** Looks for the browser as it is now. */
  readonly findBrowser: BrowserFinder;
  /** Why there is no browser now; undefined where there is one. */
  readonly browserProblem: string | undefined;
  readonly runtimes: readonly InstalledRuntime[];
  /** Folders that a cell must be able to read. */
  readonly readable: readonly string[];
}

/** Looks at what there is. */
export async function detectBrowserSetup(
  { executable, programFolder, dataFolder, browsersFolder, installCommand }: BrowserSettings,
  env: Readonly<Record<string, string | undefined>>,
  execPath: string,
): Promise<BrowserSetup> {
  makeFolder(browsersFolder);
  const engines = enginesFolder(dataFolder);
  makeFolder(engines);
  const from = join(dirname(programFolder), 'package.json');
  const find = () =>
    findBrowser({
      ...{ executable: executable ?? (env.SONDE_BROWSER || undefined), env, from, execPath, installCommand },
      folder: browsersFolder,
    });
  const [browser, runtimes] = await Promise.all([
    find(),
    findRuntimes({ from, folder: join(dataFolder, 'runtimes') }),
  ]);
  const hasBrowser = !('problem' in browser);
  // A browser with a folder of its own is shown to each cell that uses it.
  const browserFolders =
    hasBrowser && browser.folder === undefined ? [dirname(await realpath(browser.executablePath))] : [];
  return {
    ...{ findBrowser: find, browserProblem: hasBrowser ? undefined : browser.problem, runtimes },
    readable: [...browserFolders, engines, ...runtimes.flatMap(({ folders }) => folders)],
  };
}

const enginesFolder = (dataFolder: string) => join(dataFolder, 'engines');

export interface ScriptCheckRunnerOptions {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  readonly settings: BrowserSettings;
  readonly setup: BrowserSetup;
  readonly execPath: string;
  readonly refusal: () => Promise<string | undefined>;
  readonly denyAddress: DenyAddress | undefined;
  readonly onError: (message: string, error: unknown) => void;
}

export function createBrowserCheckRunner(options: ScriptCheckRunnerOptions): BrowserRunner {
  const { sandbox, clock, settings, setup, execPath, refusal, denyAddress, onError } = options;
  return createBrowserRunner({
    ...{ sandbox, clock, refusal, onError, browser: setup.findBrowser, runtimes: setup.runtimes },
    program: [execPath, join(settings.programFolder, 'browser.cjs')],
    maxInUse: settings.concurrency,
    warm: 1,
    ...(denyAddress === undefined ? {} : { denyAddress }),
  });
}

/** Agentic checks, by that model. None of their browsers waits ready: they run seldom. */
export function createAgenticCheckRunner(
  options: ScriptCheckRunnerOptions,
  model: ModelSettings,
): AgenticRunner {
  const { sandbox, clock, settings, setup, execPath, refusal, denyAddress, onError } = options;
  return createAgenticRunner({
    ...{ sandbox, clock, refusal, onError, denyAddress, model },
    ...{ browser: setup.findBrowser, runtimes: setup.runtimes },
    program: [execPath, join(settings.programFolder, 'browser.cjs')],
    driver: () => readFile(join(settings.programFolder, 'agentic.cjs'), 'utf8'),
    maxInUse: settings.concurrency,
    warm: 0,
  });
}

/** Checks whose scripts make requests alone: they share what runs them. */
export interface RequestCheckRunners {
  /** Keyed by `checkType`. */
  readonly runners: { readonly API: QueuedRunner<ApiCheck>; readonly MULTI_STEP: BrowserRunner };
  close(): Promise<void>;
}

export function createRequestCheckRunners(options: ScriptCheckRunnerOptions): RequestCheckRunners {
  const { sandbox, clock, settings, setup, execPath, refusal, denyAddress, onError } = options;
  const shared = {
    ...{ sandbox, clock, refusal, onError, denyAddress, browser: null, runtimes: setup.runtimes },
    program: [execPath, join(settings.programFolder, 'browser.cjs')] as const,
    maxInUse: settings.concurrency,
    warm: 1,
  };
  const programs = createProgramPool(shared);
  return {
    runners: {
      API: createApiRunner({ programs, sandbox }),
      MULTI_STEP: createBrowserRunner({ ...shared, programs }),
    },
    close: programs.close,
  };
}

export interface SuiteCheckRunnerOptions extends ScriptCheckRunnerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The project folder of that id. */
  readonly archive: (id: string) => Promise<Buffer | undefined>;
}

/** Suites run one at a time, beside all other checks. */
const SUITES_AT_ONCE = 1;

export function createSuiteCheckRunner(options: SuiteCheckRunnerOptions): SuiteRunner {
  const { sandbox, settings, setup, execPath, refusal, denyAddress, archive, env, onError } = options;
  return createSuiteRunner({
    ...{ sandbox, refusal, archive, onError, browser: setup.findBrowser, runtimes: setup.runtimes },
    program: [execPath, join(settings.programFolder, 'suite.cjs')],
    maxInUse: SUITES_AT_ONCE,
    engines: createEngines({ folder: enginesFolder(settings.dataFolder), execPath, env }),
    installVariables: Object.fromEntries(
      NETWORK_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
    ),
    ...(denyAddress === undefined ? {} : { denyAddress }),
  });
}
