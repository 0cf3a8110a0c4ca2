/** Opens the runners of check types on this machine when a check needs them. */
import { dirname } from 'node:path';
import type { Deps } from '../../../src/cli/framework/index.ts';
import { browsersFolder, installCommand } from '../../../src/cli/local-service/browser.ts';
import { serviceFolder } from '../../../src/cli/local-service/data-folder.ts';
import type { QueuedRunner, Runner } from '../../../src/runners/core/runner.ts';
import type { LocalCheck } from '../../../src/service/engine/local-sessions/run-checks.ts';
import { sandboxOptions } from '../../service/shared/sandbox-options.ts';
import { isUptimeType, UPTIME_TYPES } from './uptime-types.ts';

type AnyRunner = Runner<never> | QueuedRunner<never>;

export interface LocalRunners {
  /** Returns the runners of the types of the checks. `archive` returns the Playwright project with that ID. */
  open(
    checks: readonly LocalCheck[],
    archive: (id: string) => Buffer | undefined,
  ): Promise<Readonly<Record<string, AnyRunner>>>;
  close(): Promise<void>;
}

export interface LocalRunnersOptions {
  /** Browser of browser checks; undefined: search for one. */
  readonly browser: string | undefined;
  /** Whether more runs follow, so that programs are kept ready. */
  readonly repeats: boolean;
}

const NONE: Readonly<Record<string, AnyRunner>> = {};

/** Returns whether an API check only sends its request, so that it needs no sandbox. */
const hasNoScripts = ({ type, body, group }: LocalCheck): boolean =>
  type === 'API' &&
  [body, group?.body].every(
    (owner) =>
      !owner?.localSetupScript &&
      !owner?.localTearDownScript &&
      typeof owner?.setupSnippetId !== 'number' &&
      typeof owner?.tearDownSnippetId !== 'number',
  );

export function createLocalRunners(deps: Deps, options: LocalRunnersOptions): LocalRunners {
  let archiveOf: (id: string) => Buffer | undefined = () => undefined;
  let scripts: ReturnType<typeof openScriptRunners> | undefined;

  async function runnerOf(type: string, checks: readonly LocalCheck[]): Promise<AnyRunner> {
    if (isUptimeType(type)) return (await UPTIME_TYPES[type]()).run;
    if (checks.every(hasNoScripts))
      return (await import('../../../src/runners/api/runner.ts')).createApiRunner();
    scripts ??= openScriptRunners(deps, options, async (id) => archiveOf(id));
    const { runners, problem } = await scripts.catch((error: unknown) => {
      if (error instanceof Error && error.name === 'SandboxError')
        return { runners: NONE, problem: error.message };
      throw error;
    });
    const runner = runners[type];
    if (runner !== undefined) return runner;
    if (type === 'AGENTIC' && problem === undefined)
      return (await import('../../../src/runners/agentic/runner.ts')).run;
    const { CannotRun } = await import('../../../src/runners/core/runner.ts');
    return () => Promise.reject(new CannotRun(problem ?? `this version does not run ${type} checks`));
  }

  return {
    async open(checks, archive) {
      archiveOf = archive;
      const types = [...new Set(checks.map(({ type }) => type))];
      const opened = types.map(async (type) => {
        const runner = await runnerOf(
          type,
          checks.filter((check) => check.type === type),
        );
        return [type, runner] as const;
      });
      return Object.fromEntries(await Promise.all(opened));
    },
    async close() {
      await scripts?.then(
        (opened) => opened.close(),
        () => {},
      );
    },
  };
}

/** Opens the sandbox, and the runners of scripts with the browser and the runtimes of the local service. */
async function openScriptRunners(
  deps: Deps,
  { browser, repeats }: LocalRunnersOptions,
  archive: (id: string) => Promise<Buffer | undefined>,
) {
  const { openScripts } = await import('../../../src/agent/lazy/scripts.ts');
  const { terminal, clock, env, self } = deps;
  const folder = serviceFolder(deps, undefined);
  const settings = {
    sandbox: sandboxOptions(deps, folder, 'auto'),
    browser: {
      executable: browser,
      concurrency: MAX_SCRIPTS,
      warm: repeats ? 1 : 0,
      programFolder: dirname(self.script),
      dataFolder: folder,
      browsersFolder: browsersFolder(folder),
      installCommand: installCommand(deps, folder),
    },
    // The scripts are in files of the user.
    trustScripts: true,
    env,
  };
  return openScripts(settings, {
    clock,
    archive,
    onIsolation: () => {},
    onInstall: (packages) => void terminal.note(`Installing ${packages} with npm...`),
    onError: (message, error) =>
      void terminal.warn(`${message}: ${error instanceof Error ? error.message : String(error)}`),
  });
}

/** Maximum concurrent browsers, as in a service. */
const MAX_SCRIPTS = 2;
