/** What runs scripts in an agent: browser, multi-step and API checks in cells of their own. Loaded where they are run, and nowhere else. */
import type { Clock } from '../../base/clock.ts';
import { type BrowserSettings, browserChecks, browserMachine, requestChecks } from '../../runners/scripts.ts';
import { openSandbox, type SandboxOptions } from '../../sandbox/index.ts';
import type { Runners } from '../../worker/worker.ts';

export interface ScriptSettings {
  readonly sandbox: SandboxOptions;
  readonly browser: BrowserSettings;
  /** Scripts are the owner's own: they run where nothing keeps them from the agent's files, too. */
  readonly trustScripts: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Scripts {
  readonly runners: Runners;
  readonly runtimes: readonly string[];
  /** Why no scripts are run, as a sentence without a full stop; undefined: they are. */
  readonly problem: string | undefined;
  close(): Promise<void>;
}

/** Opens the sandbox and looks at what there is. Throws UsageError where the isolation that is demanded cannot be had. */
export async function openScripts(
  settings: ScriptSettings,
  { clock, onError }: { readonly clock: Clock; readonly onError: (message: string, error: unknown) => void },
): Promise<Scripts> {
  const { execPath } = settings.sandbox.self;
  const machine = await browserMachine(settings.browser, settings.env, execPath);
  const readable = [...(settings.sandbox.readable ?? []), ...machine.readable];
  const sandbox = await openSandbox({ ...settings.sandbox, readable });
  const { level } = sandbox.describe();
  const isolation =
    level === 'process' && !settings.trustScripts
      ? 'nothing keeps a script from the files and the key of this agent here (isolation "process"): run it as root, or where Linux gives user namespaces, or start it with --trust-scripts'
      : undefined;
  const problem = isolation ?? ('problem' in machine.browser ? machine.browser.problem : undefined);
  const options = {
    ...{ sandbox, clock, machine, execPath, onError, settings: settings.browser },
    refusal: async () => isolation,
    denyAddress: undefined,
  };
  const browser = browserChecks(options);
  const requests = requestChecks(options);
  const { API, MULTI_STEP } = requests.runners;
  return {
    // An API check without scripts runs in any case; one that has some is then refused with the reason.
    runners: {
      API,
      ...(isolation === undefined ? { MULTI_STEP } : {}),
      ...(problem === undefined ? { BROWSER: browser } : {}),
    },
    runtimes: machine.runtimes.map(({ id }) => id),
    problem,
    async close() {
      await browser.close();
      await requests.close();
      await sandbox.close();
    },
  };
}
