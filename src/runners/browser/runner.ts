/** Runs browser checks, each in a separate cell with a program that prepares a browser in advance. */
import { toAbortSignal } from '../../base/abort.ts';
import { describeIsolation } from '../../sandbox/index.ts';
import type { QueuedRunner, RunContext, RunOutcome, RunSlot } from '../core/runner.ts';
import { formatLostFiles } from '../files/run-file-store.ts';
import { inspectCertificate } from '../tls/inspect-certificate.ts';
import { parseScript, type Script, type ScriptSource } from './parse-script.ts';
import {
  type AcquiredProgram,
  assertClosedNetwork,
  buildScriptEnvironment,
  createProgramPool,
  type ProgramPool,
  type ProgramPoolOptions,
} from './program-pool.ts';
import { ARTIFACTS_MS, type BrowserJob, type PlaywrightConfig } from './protocol.ts';
import { toRunOutcome } from './run-outcome.ts';

/** A browser check with its group's base URL and runtime, and all its variables. */
export interface BrowserCheck extends ScriptSource {
  readonly environmentVariables?: readonly { readonly key: string; readonly value: string }[] | null;
  readonly runtimeId?: string | null;
  readonly sslCheckDomain?: string | null;
  readonly shouldFail?: boolean;
  /** `browserCheckDefaults` of the group. */
  readonly baseUrl?: string | null;
  readonly playwrightConfig?: PlaywrightConfig | null;
  /** Whether a test session runs the check. */
  readonly isTest?: boolean;
  /** Whether the account masks detected secrets. */
  readonly detectsSecrets?: boolean;
}

export interface BrowserRunnerOptions extends ProgramPoolOptions {
  /** A shared program pool; if undefined, the runner creates one. */
  readonly programs?: ProgramPool;
}

export interface BrowserRunner extends QueuedRunner<BrowserCheck> {
  /** Describes the programs for `/health`. */
  describe(): Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

/** Maximum duration of a browser check (docs/gaps.md), in ms. */
const MAX_RUN_MS = 240_000;
/** Part of that time reserved for screenshots and traces after the script, in ms. */
const RESERVE_MS = 10_000;

/** Creates the runner. Without a browser (null) it runs multi-step checks, whose scripts only send requests. */
export function createBrowserRunner(options: BrowserRunnerOptions): BrowserRunner {
  const programs = options.programs ?? createProgramPool(options);

  return {
    async acquireSlot(check, signal): Promise<RunSlot<BrowserCheck>> {
      try {
        const script = parseScript(check);
        const acquired = await programs.acquire(
          check.runtimeId,
          script.likelyKind,
          script.files.map(({ content }) => content),
          toAbortSignal(signal),
        );
        return {
          run: (checkToRun, context, stop) =>
            attempt({ script, acquired }, checkToRun, context, toAbortSignal(stop), options),
          release: acquired.release,
        };
      } catch (error) {
        if (signal.aborted) throw error;
        return { run: () => Promise.reject(error), release: async () => {} };
      }
    },
    describe: () => ({
      atOnce: options.maxInUse,
      ready: programs.countReady(),
    }),
    close: programs.close,
  };
}

interface PreparedRun {
  readonly script: Script;
  readonly acquired: AcquiredProgram;
}

async function attempt(
  { script, acquired: { runtime, warm } }: PreparedRun,
  check: BrowserCheck,
  context: RunContext,
  signal: AbortSignal,
  { sandbox }: BrowserRunnerOptions,
): Promise<RunOutcome> {
  const { program, egress } = warm.warm;
  assertClosedNetwork(context, egress, sandbox);
  const { cell, wasWaiting } = warm;
  const totalMs = context.timeoutMs ?? MAX_RUN_MS;
  const timeoutMs = totalMs - Math.min(RESERVE_MS, Math.ceil(totalMs / 4));
  const domain = check.sslCheckDomain?.trim();
  const artifactsMs = Math.min(ARTIFACTS_MS, (totalMs - timeoutMs) * 0.8);
  const job = createJob(script, check, context, { timeoutMs, artifactsMs });
  const [end, certificate] = await Promise.all([
    program.run(job, timeoutMs + artifactsMs, signal, context.files),
    domain ? inspectCertificate(domain, context, signal) : undefined,
  ]);
  const artifactsLost = formatLostFiles(...end.lost);
  const details = {
    kind: end.report?.kind ?? script.likelyKind,
    runtime: runtime.id,
    playwright: runtime.version,
    browser: program.browser === '' ? null : `Chromium ${program.browser}`,
    isolation: {
      ...describeIsolation(sandbox.describe()),
      chromiumSandbox: program.sandboxed,
      keptReady: wasWaiting,
    },
    durationMs: end.report?.durationMs ?? null,
    tests: end.report?.tests ?? [],
    console: end.console,
    dropped: end.report?.dropped ?? { lines: 0, artifacts: 0 },
    ...(artifactsLost === undefined ? {} : { artifactsLost }),
    ...(end.report?.notes ? { notes: end.report.notes } : {}),
    sslCheck: certificate?.report ?? null,
    ...(end.report?.detected ? { detectedSecrets: end.report.detected } : {}),
    ...(egress ? { denied: egress.denied() } : {}),
  };
  return toRunOutcome({ end, timeoutMs, exceeded: cell.exceeded(), egress, certificate, details }, check);
}

function createJob(
  { entry, files }: Script,
  check: BrowserCheck,
  context: RunContext,
  times: Pick<BrowserJob, 'timeoutMs' | 'artifactsMs'>,
): BrowserJob {
  const baseUrl = check.baseUrl?.trim() || null;
  return {
    entry,
    files,
    baseUrl,
    playwrightConfig: check.playwrightConfig ?? null,
    ...times,
    secrets: context.secrets ?? [],
    detectsSecrets: check.detectsSecrets === true,
    environment: {
      ...(context.traceparent === undefined ? {} : { SONDE_TRACEPARENT: context.traceparent }),
      ...buildScriptEnvironment(check, baseUrl),
    },
  };
}
