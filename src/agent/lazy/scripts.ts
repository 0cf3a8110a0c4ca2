/** What runs scripts in an agent: browser, multi-step and API checks in cells of their own. Loaded where they are run, and nowhere else. */
import type { Clock } from '../../base/clock.ts';
import { readModelSettings } from '../../runners/agentic/model-settings.ts';
import {
  type BrowserSettings,
  createAgenticCheckRunner,
  createBrowserCheckRunner,
  createRequestCheckRunners,
  createSuiteCheckRunner,
  detectBrowserSetup,
} from '../../runners/script-runners.ts';
import { describeIsolation, type Isolation, openSandbox, type SandboxOptions } from '../../sandbox/index.ts';
import type { Runners } from '../../worker/worker.ts';

export interface ScriptSettings {
  readonly sandbox: SandboxOptions;
  readonly browser: BrowserSettings;
  /** Scripts are the owner's own: they run where nothing keeps them from the agent's files, too. */
  readonly trustScripts: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What they need of the agent. */
export interface ScriptSurroundings {
  readonly clock: Clock;
  readonly onError: (message: string, error: unknown) => void;
  /** Told once how far scripts are kept apart here. */
  readonly onIsolation: (isolation: Isolation) => void;
  /** The project folder of that id. */
  readonly archive: (id: string) => Promise<Buffer | undefined>;
}

export interface Scripts {
  /** Of the check types that can be run here. */
  readonly runners: Runners;
  readonly runtimes: readonly string[];
  /** Why some are not run, as a sentence without a full stop; undefined: all are. */
  readonly problem: string | undefined;
  close(): Promise<void>;
}

const NOT_APART =
  'no isolation between scripts and the files and key of this agent (isolation "process"): run the agent as root or on Linux with user namespaces, or pass --trust-scripts';

/** Opens the sandbox and looks at what there is. Throws UsageError where the isolation that is demanded cannot be had. */
export async function openScripts(
  settings: ScriptSettings,
  { clock, onError, onIsolation, archive }: ScriptSurroundings,
): Promise<Scripts> {
  const { execPath } = settings.sandbox.self;
  const { env } = settings;
  const model = readModelSettings(env);
  const setup = await detectBrowserSetup(settings.browser, env, execPath);
  const readable = [...(settings.sandbox.readable ?? []), ...setup.readable];
  const sandbox = await openSandbox({ ...settings.sandbox, readable });
  const isolation = describeIsolation(sandbox.describe());
  onIsolation(isolation);
  const isRefused = isolation.level === 'process' && !settings.trustScripts;
  const options = {
    ...{ sandbox, clock, setup, execPath, onError, settings: settings.browser },
    refusal: async () => (isRefused ? NOT_APART : undefined),
    denyAddress: undefined,
  };
  const browser = createBrowserCheckRunner(options);
  const requests = createRequestCheckRunners(options);
  const suites = createSuiteCheckRunner({ ...options, env, archive });
  const agentic = model && createAgenticCheckRunner(options, model);
  const { API, MULTI_STEP } = requests.runners;
  const noBrowser = setup.browserProblem;
  return {
    runners: {
      API,
      ...(isRefused ? {} : { MULTI_STEP }),
      ...(isRefused || noBrowser !== undefined
        ? {}
        : { BROWSER: browser, PLAYWRIGHT: suites, ...(agentic ? { AGENTIC: agentic } : {}) }),
    },
    runtimes: setup.runtimes.map(({ id }) => id),
    problem: isRefused ? NOT_APART : noBrowser,
    async close() {
      await browser.close();
      await suites.close();
      await requests.close();
      await agentic?.close();
      await sandbox.close();
    },
  };
}
