/** Opens the sandbox and the runners of checks with scripts: browser, multi-step and API. Lazy-loaded. */
import type { Clock } from '../../base/clock.ts';
import { readModelSettings } from '../../runners/agentic/model-client.ts';
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
  /** Run scripts even if the sandbox cannot isolate them from the agent's files. */
  readonly trustScripts: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Dependencies from the agent. */
export interface ScriptContext {
  readonly clock: Clock;
  readonly onError: (message: string, error: unknown) => void;
  /** Called once with the isolation of scripts. */
  readonly onIsolation: (isolation: Isolation) => void;
  /** Called before npm installs packages that scripts need. */
  readonly onInstall: (packages: string) => void;
  /** Downloads the project folder with that ID. */
  readonly archive: (id: string) => Promise<Buffer | undefined>;
}

export interface Scripts {
  /** Runners of the check types that can run here. */
  readonly runners: Runners;
  readonly runtimes: () => Promise<readonly string[]>;
  /** Why some check types cannot run, as a sentence without a full stop; undefined: all can. */
  readonly problem: string | undefined;
  close(): Promise<void>;
}

const NOT_ISOLATED =
  'no isolation between scripts and the files and key of this agent (isolation "process"): run the agent as root or on Linux with user namespaces, or pass --trust-scripts';

/** Opens the sandbox and the runners. Throws UsageError if the requested isolation is unavailable. */
export async function openScripts(
  settings: ScriptSettings,
  { clock, onError, onIsolation, onInstall, archive }: ScriptContext,
): Promise<Scripts> {
  const { execPath } = settings.sandbox.self;
  const { env } = settings;
  const model = readModelSettings(env);
  const setup = await detectBrowserSetup(settings.browser, env, execPath, onInstall);
  const readable = [...(settings.sandbox.readable ?? []), ...setup.readable];
  const sandbox = await openSandbox({ ...settings.sandbox, readable });
  const isolation = describeIsolation(sandbox.describe());
  onIsolation(isolation);
  const isRefused = isolation.level === 'process' && !settings.trustScripts;
  const options = {
    sandbox,
    clock,
    setup,
    execPath,
    onError,
    settings: settings.browser,
    refusal: async () => (isRefused ? NOT_ISOLATED : undefined),
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
    runtimes: async () => (await setup.runtimes.list()).map(({ id }) => id),
    problem: isRefused ? NOT_ISOLATED : noBrowser,
    async close() {
      await browser.close();
      await suites.close();
      await requests.close();
      await agentic?.close();
      await sandbox.close();
    },
  };
}
