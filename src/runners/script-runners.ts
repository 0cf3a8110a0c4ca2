/**
 * Creates the runners of scripts, for the service and for agents, from the browser, runtimes and engines of this
 * machine.
 */
import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { makeFolder } from '../base/files.ts';
import type { Sandbox } from '../sandbox/index.ts';
import type { ModelSettings } from './agentic/model-client.ts';
import { type AgenticRunner, createAgenticRunner } from './agentic/runner.ts';
import { createApiRunner } from './api/runner.ts';
import type { ApiCheck } from './api/types.ts';
import { type BrowserFinder, findBrowser } from './browser/find-browser.ts';
import { createProgramPool } from './browser/program-pool.ts';
import { type BrowserRunner, createBrowserRunner } from './browser/runner.ts';
import { createRuntimes, type Runtimes } from './browser/runtimes.ts';
import { findRuntimesFolder } from './browser/runtimes-folder.ts';
import type { DenyAddress } from './core/address-policy.ts';
import type { QueuedRunner } from './core/runner.ts';
import { NETWORK_VARIABLES } from './packages/install-packages.ts';
import { createEngines, makeEnginesFolder } from './suite/engines.ts';
import { createSuiteRunner, type SuiteRunner } from './suite/runner.ts';

export interface BrowserSettings {
  /** Browser that the user configured; undefined: search for one. */
  readonly executable?: string | undefined;
  /** Maximum number of concurrent runs. */
  readonly concurrency: number;
  /** Number of programs that are kept ready for the next run. Default: 1. */
  readonly warm?: number;
  /** The folder of the programs that run in a cell: `browser.cjs`, `suite.cjs` and `agentic.cjs`. */
  readonly programFolder: string;
  /** Contains other runtimes and engines. */
  readonly dataFolder: string;
  /** Contains the browser from `sonde browser install`. */
  readonly browsersFolder: string;
  /** Command that installs a browser there. Default: see `formatNoBrowser`. */
  readonly installCommand?: string | undefined;
}

export interface BrowserSetup {
  /** Finds the browser that is available now. */
  readonly findBrowser: BrowserFinder;
  /** Why there is no browser; undefined if there is one. */
  readonly browserProblem: string | undefined;
  readonly runtimes: Runtimes;
  /** Folders that a cell must be able to read. */
  readonly readable: readonly string[];
}

/** Finds the browser and the runtimes of this machine. */
export async function detectBrowserSetup(
  { executable, programFolder, dataFolder, browsersFolder, installCommand }: BrowserSettings,
  env: Readonly<Record<string, string | undefined>>,
  execPath: string,
  onInstall: (packages: string) => void,
): Promise<BrowserSetup> {
  makeFolder(browsersFolder);
  const engines = enginesFolder(dataFolder);
  makeEnginesFolder(engines);
  const from = join(dirname(programFolder), 'package.json');
  const find = () =>
    findBrowser({
      executable: executable ?? (env.SONDE_BROWSER || undefined),
      env,
      from,
      execPath,
      installCommand,
      folder: browsersFolder,
    });
  // Runtimes and engines may be installed while this process runs, so cells can read their folders from the start.
  const runtimesFolder = findRuntimesFolder(env, dataFolder);
  makeEnginesFolder(runtimesFolder);
  const runtimes = createRuntimes({ from, folder: runtimesFolder, env, onInstall });
  const [browser, installed] = await Promise.all([find(), runtimes.list()]);
  const hasBrowser = !('problem' in browser);
  // A browser with a separate folder is added to each cell that uses it.
  const browserFolders =
    hasBrowser && browser.folder === undefined ? [dirname(await realpath(browser.executablePath))] : [];
  return {
    findBrowser: find,
    browserProblem: hasBrowser ? undefined : browser.problem,
    runtimes,
    readable: [...browserFolders, engines, runtimesFolder, ...installed.flatMap(({ folders }) => folders)],
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
    sandbox,
    clock,
    refusal,
    onError,
    browser: setup.findBrowser,
    runtimes: setup.runtimes,
    program: [execPath, join(settings.programFolder, 'browser.cjs')],
    maxInUse: settings.concurrency,
    warm: settings.warm ?? 1,
    ...(denyAddress === undefined ? {} : { denyAddress }),
  });
}

/** Creates the runner of agentic checks for a model. No browser is kept ready, because these checks are rare. */
export function createAgenticCheckRunner(
  options: ScriptCheckRunnerOptions,
  model: ModelSettings,
): AgenticRunner {
  const { sandbox, clock, settings, setup, execPath, refusal, denyAddress, onError } = options;
  return createAgenticRunner({
    sandbox,
    clock,
    refusal,
    onError,
    denyAddress,
    model,
    browser: setup.findBrowser,
    runtimes: setup.runtimes,
    program: [execPath, join(settings.programFolder, 'browser.cjs')],
    driver: () => readFile(join(settings.programFolder, 'agentic.cjs'), 'utf8'),
    maxInUse: settings.concurrency,
    warm: 0,
  });
}

/** Checks whose scripts only send requests. They share one program pool. */
export interface RequestCheckRunners {
  /** Runners by `checkType`. */
  readonly runners: { readonly API: QueuedRunner<ApiCheck>; readonly MULTI_STEP: BrowserRunner };
  close(): Promise<void>;
}

export function createRequestCheckRunners(options: ScriptCheckRunnerOptions): RequestCheckRunners {
  const { sandbox, clock, settings, setup, execPath, refusal, denyAddress, onError } = options;
  const shared = {
    sandbox,
    clock,
    refusal,
    onError,
    denyAddress,
    browser: null,
    runtimes: setup.runtimes,
    program: [execPath, join(settings.programFolder, 'browser.cjs')] as const,
    maxInUse: settings.concurrency,
    warm: settings.warm ?? 1,
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
  /** Returns the project archive with that ID. */
  readonly archive: (id: string) => Promise<Buffer | undefined>;
}

/** Suites run one at a time, in parallel with all other checks. */
const SUITES_AT_ONCE = 1;

export function createSuiteCheckRunner(options: SuiteCheckRunnerOptions): SuiteRunner {
  const { sandbox, settings, setup, execPath, refusal, denyAddress, archive, env, onError } = options;
  return createSuiteRunner({
    sandbox,
    refusal,
    archive,
    onError,
    browser: setup.findBrowser,
    runtimes: setup.runtimes,
    program: [execPath, join(settings.programFolder, 'suite.cjs')],
    maxInUse: SUITES_AT_ONCE,
    engines: createEngines({ folder: enginesFolder(settings.dataFolder), execPath, env }),
    installVariables: Object.fromEntries(
      NETWORK_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
    ),
    ...(denyAddress === undefined ? {} : { denyAddress }),
  });
}
