/** Runs Playwright suites: each in a cell of its own, with its own configuration, on the engine that it names. */
import { signalOf } from '../base/stop.ts';
import { type Cell, type CellLimits, createPool, isolationOf, type Sandbox } from '../sandbox/index.ts';
import { libraryAt } from './browser/child/locate-playwright.ts';
import { openWayOut, type WayOut } from './browser/egress.ts';
import { type BrowserFinder, type FoundBrowser, foldersOf } from './browser/find-browser.ts';
import { outcomeOf } from './browser/run-outcome.ts';
import { type Program, startProgram } from './browser/program.ts';
import { EVIDENCE_MS } from './browser/protocol.ts';
import { type FoundRuntime, runtimeOf } from './browser/runtimes.ts';
import { scriptEnvironment, takenOrAborted, told } from './browser/acquire-cell.ts';
import { lostWords } from './files/format-lost-files.ts';
import type { DenyAddress } from './reach.ts';
import { asksForBun, type Engines, type WantedEngine } from './suite/engines.ts';
import type { SuiteJob, SuitePreparation } from './suite/protocol.ts';
import { CannotRun, type RunContext, type RunnerInTurn, type RunOutcome, type Turn } from './types.ts';

/** A suite with what holds for it: its group's runtime, and all its variables. */
export interface SuiteCheck extends WantedEngine {
  /** Names the archive of its project. */
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
  /** Whether a test session runs it. */
  readonly isTest?: boolean;
  /** Whether the account has what looks like a secret masked. */
  readonly detectsSecrets?: boolean;
}

export interface SuiteRunnerOptions {
  readonly sandbox: Sandbox;
  /** Node, and the program that runs in a cell. */
  readonly program: readonly [string, ...string[]];
  readonly runtimes: readonly FoundRuntime[];
  /** Asked before each run. */
  readonly browser: BrowserFinder;
  readonly engines: Engines;
  /** The archive of that id; undefined where there is none. */
  readonly archive: (id: string) => Promise<Buffer | undefined>;
  /** How many run at once: they have places of their own, so that they keep no short check waiting. */
  readonly most: number;
  /** How packages are reached while they are installed: proxies, certificates, a registry. */
  readonly installing: Readonly<Record<string, string>>;
  /** Why no script is run now, as a sentence without a full stop; left out, or undefined: they are. */
  readonly refusal?: (() => Promise<string | undefined>) | undefined;
  readonly denyAddress?: DenyAddress;
  readonly onError: (message: string, error: unknown) => void;
}

export interface SuiteRunner extends RunnerInTurn<SuiteCheck> {
  close(): Promise<void>;
}

/** The longest that a suite runs (docs/gaps.md), in ms. */
const LONGEST_MS = 3_600_000;
/** What is left of that for pictures and traces once the tests are over. */
const RESERVE_MS = 20_000;
const LIMITS: Partial<CellLimits> = {
  memoryBytes: 4 * 1024 ** 3,
  cpuSeconds: 7200,
  diskBytes: 2 * 1024 ** 3,
  fileBytes: 512 * 1024 ** 2,
  processes: 2048,
};
const ARCHIVE = 'suite.zip';
/** The name of the socket by which a cell without a network is left. */
const WAY_OUT = 'way-out';

interface Ready {
  readonly program: Program<SuiteJob>;
  readonly wayOut: WayOut | undefined;
}

export function createSuiteRunner(options: SuiteRunnerOptions): SuiteRunner {
  const { sandbox, denyAddress, runtimes } = options;
  let sandboxed = true;
  /** The browser that a cell was made for. */
  const browserOf = new WeakMap<Cell, FoundBrowser>();
  const pool = createPool<Ready>({
    ...{ size: 0, most: options.most },
    async open() {
      const browser = await options.browser();
      if ('problem' in browser) throw new CannotRun(browser.problem);
      const cell = await sandbox.open(LIMITS, foldersOf(browser));
      browserOf.set(cell, browser);
      return cell;
    },
    async warm(cell) {
      const wayOut = denyAddress && openWayOut(denyAddress);
      if (wayOut) await cell.serve(WAY_OUT, wayOut.server);
      const program = await startProgram<SuiteJob, SuitePreparation>(cell, options.program, {
        executablePath: cell.pathOf(browserOf.get(cell)?.executablePath ?? ''),
        sandboxed,
        wayOut: wayOut ? `${cell.folder}/${WAY_OUT}` : null,
      });
      // What the machine refuses once it refuses always.
      sandboxed = program.sandboxed;
      return { program, wayOut };
    },
    isReady: ({ program }) => program.isAlive(),
    onError: (error) => options.onError('cannot create a cell for a suite', error),
  });

  async function taken(check: SuiteCheck, signal: AbortSignal) {
    const refusal = await options.refusal?.();
    if (refusal !== undefined) throw new CannotRun(refusal);
    const runtime = runtimeOf(check.runtimeId, runtimes);
    const archive = await options.archive(check.codeBundleId);
    if (archive === undefined)
      throw new CannotRun(
        `the code bundle ${check.codeBundleId} of the suite does not exist: upload the project again`,
      );
    const engine = await options.engines.find(check);
    const installer = asksForBun(archive, check.installCommand)
      ? await options.engines.find({ engine: 'bun' })
      : undefined;
    const warm = await takenOrAborted(pool.take(signal), signal);
    return { runtime, archive, engine, installer, warm };
  }

  return {
    isLong: true,
    async enter(check, signal): Promise<Turn<SuiteCheck>> {
      try {
        const all = await taken(check, signalOf(signal));
        return {
          run: (given, context, stop) => attempt(all, given, context, signalOf(stop), options),
          leave: () => all.warm.close(),
        };
      } catch (error) {
        if (signal.aborted) throw error;
        return { run: () => Promise.reject(told(error)), leave: async () => {} };
      }
    },
    close: () => pool.close(),
  };

  type Taken = Awaited<ReturnType<typeof taken>>;
  async function attempt(
    { runtime, archive, engine, installer, warm }: Taken,
    check: SuiteCheck,
    context: RunContext,
    signal: AbortSignal,
    { installing }: SuiteRunnerOptions,
  ): Promise<RunOutcome> {
    const { cell } = warm;
    const { program, wayOut } = warm.warm;
    if (context.denyAddress && !(wayOut && sandbox.describe().network === 'none'))
      throw new CannotRun(
        'suites are disabled: this service denies some addresses to its checks, and a suite could open any connection',
      );
    const wholeMs = context.timeoutMs ?? LONGEST_MS;
    const timeoutMs = wholeMs - Math.min(RESERVE_MS, Math.ceil(wholeMs / 4));
    const evidenceMs = Math.min(EVIDENCE_MS, (wholeMs - timeoutMs) * 0.8);
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
      installer: installer?.program ?? null,
      packages: libraryAt(runtime.playwright).packages,
      environment: scriptEnvironment(check, check.baseUrl?.trim() || null),
      installing,
      ...{ timeoutMs, evidenceMs },
      secrets: context.secrets ?? [],
      detectsSecrets: check.detectsSecrets === true,
    };
    const end = await program.run(job, timeoutMs + evidenceMs, signal, context.files);
    const artifactsLost = lostWords(...end.lost);
    const details = {
      engine: engine.name,
      runtime: runtime.id,
      browser: `Chromium ${program.browser}`,
      isolation: { ...isolationOf(sandbox.describe()), chromiumSandbox: program.sandboxed },
      durationMs: end.report?.durationMs ?? null,
      counts: end.report?.counts ?? null,
      tests: end.report?.tests ?? [],
      console: end.console,
      dropped: end.report?.dropped ?? { lines: 0, artifacts: 0 },
      ...(artifactsLost === undefined ? {} : { artifactsLost }),
      ...(end.report?.detected ? { detectedSecrets: end.report.detected } : {}),
      ...(wayOut ? { denied: wayOut.denied() } : {}),
    };
    return outcomeOf({ end, timeoutMs, exceeded: cell.exceeded(), wayOut, details }, check);
  }
}
