/** Runs Playwright suites, each in a separate cell with its own configuration and engine. */
import { raceWithAbort, toAbortSignal } from '../../base/abort.ts';
import {
  type Cell,
  type CellLimits,
  createPool,
  describeIsolation,
  type Sandbox,
} from '../../sandbox/index.ts';
import { locatePlaywright } from '../browser/child/locate-playwright.ts';
import { type Egress, openEgress } from '../browser/egress.ts';
import { type BrowserFinder, browserFolders, type FoundBrowser } from '../browser/find-browser.ts';
import { type Program, startProgram } from '../browser/program.ts';
import { acquireCell, buildScriptEnvironment, toCannotRun } from '../browser/program-pool.ts';
import { ARTIFACTS_MS, type SuiteJob, type SuitePreparation } from '../browser/protocol.ts';
import { toRunOutcome } from '../browser/run-outcome.ts';
import type { Runtimes } from '../browser/runtimes.ts';
import type { DenyAddress } from '../core/address-policy.ts';
import {
  CannotRun,
  type QueuedRunner,
  type RunContext,
  type RunOutcome,
  type RunSlot,
} from '../core/runner.ts';
import { formatLostFiles } from '../files/run-file-store.ts';
import { type EngineSelection, type Engines, usesBun } from './engines.ts';

/** A suite with its group's runtime, and all its variables. */
export interface SuiteCheck extends EngineSelection {
  /** ID of the project archive. */
  readonly codeBundleId: string;
  readonly playwrightConfigPath?: string | null;
  readonly workingDir?: string | null;
  readonly installCommand?: string | null;
  readonly testCommand?: string | null;
  readonly pwProjects?: readonly string[];
  readonly pwTags?: readonly string[];
  readonly environmentVariables?: readonly { readonly key: string; readonly value: string }[] | null;
  readonly runtimeId?: string | null;
  readonly shouldFail?: boolean;
  readonly baseUrl?: string | null;
  /** Whether a test session runs the suite. */
  readonly isTest?: boolean;
  /** Whether the account masks detected secrets. */
  readonly detectsSecrets?: boolean;
}

export interface SuiteRunnerOptions {
  readonly sandbox: Sandbox;
  /** Node, and the program that runs in a cell. */
  readonly program: readonly [string, ...string[]];
  readonly runtimes: Runtimes;
  /** Called before each run. */
  readonly browser: BrowserFinder;
  readonly engines: Engines;
  /** Returns the archive with that ID; undefined if there is none. */
  readonly archive: (id: string) => Promise<Buffer | undefined>;
  /** Maximum number of concurrent suites. They have separate slots, so that they never delay short checks. */
  readonly maxInUse: number;
  /** Environment for package installation: proxies, certificates, a registry. */
  readonly installVariables: Readonly<Record<string, string>>;
  /** Returns why no script may run now, as a sentence without a full stop; undefined if scripts may run. */
  readonly refusal?: (() => Promise<string | undefined>) | undefined;
  readonly denyAddress?: DenyAddress;
  readonly onError: (message: string, error: unknown) => void;
}

export interface SuiteRunner extends QueuedRunner<SuiteCheck> {
  close(): Promise<void>;
}

/** Maximum duration of a suite (docs/gaps.md), in ms. */
const MAX_RUN_MS = 3_600_000;
/** Part of that time reserved for screenshots and traces after the tests, in ms. */
const RESERVE_MS = 20_000;
const LIMITS: Partial<CellLimits> = {
  memoryBytes: 4 * 1024 ** 3,
  cpuSeconds: 7200,
  diskBytes: 2 * 1024 ** 3,
  fileBytes: 512 * 1024 ** 2,
  processes: 2048,
};
const ARCHIVE = 'suite.zip';
/** Name of the egress socket in a cell without a network. */
const EGRESS_SOCKET = 'way-out';

interface ReadyProgram {
  readonly program: Program<SuiteJob>;
  readonly egress: Egress | undefined;
}

export function createSuiteRunner(options: SuiteRunnerOptions): SuiteRunner {
  const { sandbox, denyAddress, runtimes } = options;
  let sandboxed = true;
  /** The browser of each cell. */
  const browserOf = new WeakMap<Cell, FoundBrowser>();
  const pool = createPool<ReadyProgram>({
    size: 0,
    maxInUse: options.maxInUse,
    async open() {
      const browser = await options.browser();
      if ('problem' in browser) throw new CannotRun(browser.problem);
      const cell = await sandbox.open(LIMITS, browserFolders(browser));
      browserOf.set(cell, browser);
      return cell;
    },
    async warm(cell) {
      const egress = denyAddress && openEgress(denyAddress);
      if (egress) await cell.serve(EGRESS_SOCKET, egress.server);
      const program = await startProgram<SuiteJob, SuitePreparation>(cell, options.program, {
        executablePath: cell.pathOf(browserOf.get(cell)?.executablePath ?? ''),
        sandboxed,
        egressSocket: egress ? `${cell.folder}/${EGRESS_SOCKET}` : null,
      });
      // A machine that refuses Chromium's sandbox once always refuses it.
      sandboxed = program.sandboxed;
      return { program, egress };
    },
    isReady: ({ program }) => program.isAlive(),
    onError: (error) => options.onError('cannot create a cell for a suite', error),
  });

  async function prepareRun(check: SuiteCheck, signal: AbortSignal) {
    const refusal = await options.refusal?.();
    if (refusal !== undefined) throw new CannotRun(refusal);
    const runtime = await raceWithAbort(runtimes.select(check.runtimeId), signal);
    const archive = await options.archive(check.codeBundleId);
    if (archive === undefined)
      throw new CannotRun(
        `the code bundle ${check.codeBundleId} of the suite does not exist: upload the project again`,
      );
    const engine = await raceWithAbort(options.engines.find(check), signal);
    const installer = usesBun(archive, check.installCommand)
      ? await raceWithAbort(options.engines.find({ engine: 'bun' }), signal)
      : undefined;
    const warm = await acquireCell(pool.acquire(signal), signal);
    return { runtime, archive, engine, installer, warm };
  }

  return {
    isLong: true,
    async acquireSlot(check, signal): Promise<RunSlot<SuiteCheck>> {
      try {
        const prepared = await prepareRun(check, toAbortSignal(signal));
        return {
          run: (checkToRun, context, stop) =>
            attempt(prepared, checkToRun, context, toAbortSignal(stop), options),
          release: () => prepared.warm.close(),
        };
      } catch (error) {
        if (signal.aborted) throw error;
        return { run: () => Promise.reject(toCannotRun(error)), release: async () => {} };
      }
    },
    close: () => pool.close(),
  };

  type PreparedRun = Awaited<ReturnType<typeof prepareRun>>;
  async function attempt(
    { runtime, archive, engine, installer, warm }: PreparedRun,
    check: SuiteCheck,
    context: RunContext,
    signal: AbortSignal,
    { installVariables }: SuiteRunnerOptions,
  ): Promise<RunOutcome> {
    const { cell } = warm;
    const { program, egress } = warm.warm;
    if (
      context.denyAddress &&
      !context.allowsOpenNetwork &&
      !(egress && sandbox.describe().network === 'none')
    )
      throw new CannotRun(
        'suites are disabled: this service denies some addresses to its checks, and a suite could open any connection',
      );
    const totalMs = context.timeoutMs ?? MAX_RUN_MS;
    const timeoutMs = totalMs - Math.min(RESERVE_MS, Math.ceil(totalMs / 4));
    const artifactsMs = Math.min(ARTIFACTS_MS, (totalMs - timeoutMs) * 0.8);
    await cell.write(ARCHIVE, archive);
    const job: SuiteJob = {
      archive: ARCHIVE,
      workingDir: check.workingDir || '.',
      installCommand: check.installCommand || null,
      testCommand: check.testCommand || null,
      configPath: check.playwrightConfigPath || null,
      projects: check.pwProjects ?? [],
      tags: check.pwTags ?? [],
      engine: { kind: engine.kind, program: engine.program },
      bunProgram: installer?.program ?? null,
      packages: locatePlaywright(runtime.playwright).packages,
      environment: buildScriptEnvironment(check, check.baseUrl?.trim() || null),
      installVariables,
      timeoutMs,
      artifactsMs,
      secrets: context.secrets ?? [],
      detectsSecrets: check.detectsSecrets === true,
    };
    const end = await program.run(job, timeoutMs + artifactsMs, signal, context.files);
    const artifactsLost = formatLostFiles(...end.lost);
    const details = {
      engine: engine.name,
      runtime: runtime.id,
      browser: `Chromium ${program.browser}`,
      isolation: { ...describeIsolation(sandbox.describe()), chromiumSandbox: program.sandboxed },
      durationMs: end.report?.durationMs ?? null,
      counts: end.report?.counts ?? null,
      tests: end.report?.tests ?? [],
      console: end.console,
      dropped: end.report?.dropped ?? { lines: 0, artifacts: 0 },
      ...(artifactsLost === undefined ? {} : { artifactsLost }),
      ...(end.report?.detected ? { detectedSecrets: end.report.detected } : {}),
      ...(egress ? { denied: egress.denied() } : {}),
    };
    return toRunOutcome({ end, timeoutMs, exceeded: cell.exceeded(), egress, details }, check);
  }
}
