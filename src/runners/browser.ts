/** Runs browser checks: each in a cell of its own, by a program that has a browser ready before there is a script. */
import type { Clock } from '../base/clock.ts';
import { createPool, type Pool, type Sandbox, type WarmCell } from '../sandbox/index.ts';
import type { FoundBrowser } from './browser/find-browser.ts';
import { denialIn, findings, judged } from './browser/judging.ts';
import { type Program, startProgram } from './browser/program.ts';
import { type BrowserJob, EVIDENCE_MS, type Preparation, type ScriptKind } from './browser/protocol.ts';
import { type FoundRuntime, runtimeOf } from './browser/runtimes.ts';
import { type Script, type Scripted, scriptOf } from './browser/script.ts';
import { FAULT, scriptEnvironment, takenOrAborted, told } from './browser/taking.ts';
import { openWayOut, type WayOut } from './browser/way-out.ts';
import { certificateOf } from './certificate.ts';
import type { DenyAddress } from './reach.ts';
import { CannotRun, type RunContext, type RunnerInTurn, type RunOutcome, type Turn } from './types.ts';
import { conclude } from './verdict.ts';

/** A browser check with what holds for it: its group's base URL and runtime, and all its variables. */
export interface BrowserCheck extends Scripted {
  readonly environmentVariables?: readonly { readonly key: string; readonly value: string }[] | null;
  readonly runtimeId?: string | null;
  readonly sslCheckDomain?: string | null;
  readonly shouldFail?: boolean;
  /** `browserCheckDefaults` of the group. */
  readonly baseUrl?: string | null;
  /** Whether a test session runs it. */
  readonly isTest?: boolean;
}

export interface BrowserRunnerOptions {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** Node, and the program that runs in a cell. */
  readonly program: readonly [string, ...string[]];
  readonly runtimes: readonly FoundRuntime[];
  readonly browser: FoundBrowser | { readonly problem: string };
  /** How many run at once. */
  readonly most: number;
  /** How many are kept ready. */
  readonly warm: number;
  /** Why no script is run now, as a sentence without a full stop; left out, or undefined: they are. */
  readonly refusal?: (() => Promise<string | undefined>) | undefined;
  /** What scripts and their browsers must not reach, in a sandbox whose cells have no network; left out: nothing. */
  readonly denyAddress?: DenyAddress;
  /** Certificates that sslCheckDomain trusts besides the system's (PEM). */
  readonly ca?: readonly string[];
  readonly onError: (message: string, error: unknown) => void;
}

export interface BrowserRunner extends RunnerInTurn<BrowserCheck> {
  /** What runs browser checks here, for `/health`. */
  describe(): Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

/** The longest that a browser check runs (docs/gaps.md), in ms. */
const LONGEST_MS = 240_000;
/** What is left of that for pictures and traces once the script is over. */
const RESERVE_MS = 10_000;
/** Nothing is kept ready when no browser check has run for so long. */
const IDLE_MS = 30 * 60_000;
const CELL_LIMITS = { memoryBytes: 2 * 1024 ** 3 };

/** What waits in a cell: the program, and where its cell has no network, the way out. */
interface Ready {
  readonly program: Program;
  readonly wayOut: WayOut | undefined;
}
type Warm = WarmCell<Ready>;

/** The name of the socket by which a cell without a network is left. */
const WAY_OUT = 'way-out';

export function createBrowserRunner(options: BrowserRunnerOptions): BrowserRunner {
  const { sandbox, clock, browser, runtimes, onError } = options;
  const pools = new Map<string, Pool<Ready>>();
  let kind: ScriptKind = 'script';
  let sandboxed = true;
  let idle = new AbortController();

  /** The pool of a runtime, opened at its first check: a service without browser checks pays nothing. */
  function poolOf(runtime: FoundRuntime, executablePath: string): Pool<Ready> {
    const known = pools.get(runtime.id);
    if (known) return known;
    const pool = createPool<Ready>({
      ...{ sandbox, size: options.warm, most: options.most, limits: CELL_LIMITS },
      async warm(cell) {
        const rehearses = options.warm > 0;
        const wayOut = options.denyAddress && openWayOut(options.denyAddress);
        if (wayOut) await cell.serve(WAY_OUT, wayOut.server);
        const preparation = {
          playwright: runtime.playwright,
          executablePath,
          sandboxed,
          kind,
          rehearses,
          wayOut: wayOut ? `${cell.folder}/${WAY_OUT}` : null,
        };
        const program = await startProgram<BrowserJob, Preparation>(cell, options.program, preparation);
        // What the machine refuses once it refuses always.
        sandboxed = program.sandboxed;
        return { program, wayOut };
      },
      isReady: ({ program }) => program.isAlive(),
      onError: (error) => onError('a browser could not be made ready', error),
    });
    pools.set(runtime.id, pool);
    return pool;
  }

  async function closePools(): Promise<void> {
    const closing = [...pools.values()];
    pools.clear();
    await Promise.all(closing.map((pool) => pool.close()));
  }

  /** Closes what waits once it has waited for nothing for long. */
  function whenIdle(): void {
    idle.abort();
    idle = new AbortController();
    clock.sleep(IDLE_MS, idle.signal).then(
      () =>
        closePools().catch((error: unknown) => onError('browsers that waited could not be closed', error)),
      () => {},
    );
  }

  async function taken(check: BrowserCheck, signal: AbortSignal) {
    const refusal = await options.refusal?.();
    if (refusal !== undefined) throw new CannotRun(refusal);
    const script = scriptOf(check);
    const runtime = runtimeOf(check.runtimeId, runtimes);
    if ('problem' in browser) throw new CannotRun(browser.problem);
    kind = script.kind;
    const warm = await takenOrAborted(poolOf(runtime, browser.executablePath).take(signal), signal);
    return { script, runtime, warm };
  }

  return {
    async enter(check, signal): Promise<Turn<BrowserCheck>> {
      try {
        const { script, runtime, warm } = await taken(check, signal);
        return {
          run: (given, context, stop) => attempt({ script, runtime, warm }, given, context, stop, options),
          async leave() {
            await warm.close();
            whenIdle();
          },
        };
      } catch (error) {
        if (signal.aborted) throw error;
        return { run: () => Promise.reject(told(error)), leave: async () => {} };
      }
    },
    describe: () => ({
      ...('problem' in browser
        ? { problem: browser.problem }
        : { browser: browser.executablePath, source: browser.source }),
      runtimes: runtimes.map(({ id, version }) => ({ id, playwright: version })),
      atOnce: options.most,
      ready: [...pools.values()].reduce((sum, pool) => sum + pool.status().waiting, 0),
    }),
    async close() {
      idle.abort();
      await closePools();
    },
  };
}

interface Taken {
  readonly script: Script;
  readonly runtime: FoundRuntime;
  readonly warm: Warm;
}

async function attempt(
  { script, runtime, warm }: Taken,
  check: BrowserCheck,
  context: RunContext,
  signal: AbortSignal,
  { sandbox, ca }: BrowserRunnerOptions,
): Promise<RunOutcome> {
  const { program, wayOut } = warm.warm;
  if (context.denyAddress && !(wayOut && sandbox.describe().network === 'none'))
    throw new CannotRun(
      'this service denies addresses to its checks, and a script can open any connection: browser checks are not run here',
    );
  const { cell, wasWaiting } = warm;
  const wholeMs = context.timeoutMs ?? LONGEST_MS;
  const timeoutMs = wholeMs - Math.min(RESERVE_MS, Math.ceil(wholeMs / 4));
  const domain = check.sslCheckDomain?.trim();
  const [end, certificate] = await Promise.all([
    program.run(
      jobOf(script, check, context, timeoutMs),
      timeoutMs + Math.min(EVIDENCE_MS, (wholeMs - timeoutMs) * 0.8),
      signal,
    ),
    domain ? certificateOf(domain, context, signal, { ca }) : undefined,
  ]);
  const details = {
    kind: script.kind,
    runtime: runtime.id,
    playwright: runtime.version,
    browser: `Chromium ${program.browser}`,
    isolation: { level: sandbox.level, chromiumSandbox: program.sandboxed, keptReady: wasWaiting },
    durationMs: end.report?.durationMs ?? null,
    tests: end.report?.tests ?? [],
    console: end.console,
    dropped: end.report?.dropped ?? { lines: 0, artifacts: 0 },
    sslCheck: certificate?.report ?? null,
    ...(wayOut ? { denied: wayOut.denied() } : {}),
  };
  const { outcome, errors } = judged(end, timeoutMs, cell.exceeded());
  const denied = outcome === 'failed' ? denialIn(errors[0] ?? '', wayOut) : undefined;
  if (denied !== undefined)
    return { ...FAULT, errors: [denied, ...errors], details, artifacts: end.artifacts };
  if (outcome === 'fault') return { ...FAULT, errors, details, artifacts: end.artifacts };
  const concluded = conclude(findings({ outcome, errors, end, certificate, details }), check);
  return { ...concluded, artifacts: end.artifacts };
}

function jobOf(script: Script, check: BrowserCheck, context: RunContext, timeoutMs: number): BrowserJob {
  const baseUrl = check.baseUrl?.trim() || null;
  return {
    ...script,
    baseUrl,
    timeoutMs,
    secrets: context.secrets ?? [],
    environment: scriptEnvironment(check, baseUrl),
  };
}
