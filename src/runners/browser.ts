/** Runs browser checks: each in a cell of its own, by a program that has a browser ready before there is a script. */
import { signalOf } from '../base/stop.ts';
import { isolationOf } from '../sandbox/index.ts';
import { outcomeOf } from './browser/run-outcome.ts';
import {
  createPrograms,
  type Programs,
  type ProgramsOptions,
  type TakenProgram,
} from './browser/programs.ts';
import { type BrowserJob, EVIDENCE_MS } from './browser/protocol.ts';
import { type Script, type Scripted, scriptOf } from './browser/parse-script.ts';
import { refuseOpenNetwork, scriptEnvironment } from './browser/acquire-cell.ts';
import { certificateOf } from './certificate.ts';
import { lostWords } from './files/format-lost-files.ts';
import type { RunContext, RunnerInTurn, RunOutcome, Turn } from './types.ts';

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
  /** Whether the account has what looks like a secret masked. */
  readonly detectsSecrets?: boolean;
}

export interface BrowserRunnerOptions extends ProgramsOptions {
  /** Certificates that sslCheckDomain trusts besides the system's (PEM). */
  readonly ca?: readonly string[];
  /** What its scripts run in, where others share it; left out: programs of its own. */
  readonly programs?: Programs;
}

export interface BrowserRunner extends RunnerInTurn<BrowserCheck> {
  /** What runs browser checks here besides the browser, for `/health`. */
  describe(): Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

/** The longest that a browser check runs (docs/gaps.md), in ms. */
const LONGEST_MS = 240_000;
/** What is left of that for pictures and traces once the script is over. */
const RESERVE_MS = 10_000;

/** Without a browser (null) it runs multi-step checks: scripts that make requests alone. */
export function createBrowserRunner(options: BrowserRunnerOptions): BrowserRunner {
  const { runtimes } = options;
  const programs = options.programs ?? createPrograms(options);

  return {
    async enter(check, signal): Promise<Turn<BrowserCheck>> {
      try {
        const script = scriptOf(check);
        const taken = await programs.take(check.runtimeId, script.kind, signalOf(signal));
        return {
          run: (given, context, stop) => attempt({ script, taken }, given, context, signalOf(stop), options),
          leave: taken.leave,
        };
      } catch (error) {
        if (signal.aborted) throw error;
        return { run: () => Promise.reject(error), leave: async () => {} };
      }
    },
    describe: () => ({
      runtimes: runtimes.map(({ id, version }) => ({ id, playwright: version })),
      atOnce: options.most,
      ready: programs.ready(),
    }),
    close: programs.close,
  };
}

interface Given {
  readonly script: Script;
  readonly taken: TakenProgram;
}

async function attempt(
  { script, taken: { runtime, warm } }: Given,
  check: BrowserCheck,
  context: RunContext,
  signal: AbortSignal,
  { sandbox, ca }: BrowserRunnerOptions,
): Promise<RunOutcome> {
  const { program, wayOut } = warm.warm;
  refuseOpenNetwork(context, wayOut, sandbox);
  const { cell, wasWaiting } = warm;
  const wholeMs = context.timeoutMs ?? LONGEST_MS;
  const timeoutMs = wholeMs - Math.min(RESERVE_MS, Math.ceil(wholeMs / 4));
  const domain = check.sslCheckDomain?.trim();
  const evidenceMs = Math.min(EVIDENCE_MS, (wholeMs - timeoutMs) * 0.8);
  const job = jobOf(script, check, context, { timeoutMs, evidenceMs });
  const [end, certificate] = await Promise.all([
    program.run(job, timeoutMs + evidenceMs, signal, context.files),
    domain ? certificateOf(domain, context, signal, { ca }) : undefined,
  ]);
  const artifactsLost = lostWords(...end.lost);
  const details = {
    kind: script.kind,
    runtime: runtime.id,
    playwright: runtime.version,
    browser: program.browser === '' ? null : `Chromium ${program.browser}`,
    isolation: {
      ...isolationOf(sandbox.describe()),
      ...{ chromiumSandbox: program.sandboxed, keptReady: wasWaiting },
    },
    durationMs: end.report?.durationMs ?? null,
    tests: end.report?.tests ?? [],
    console: end.console,
    dropped: end.report?.dropped ?? { lines: 0, artifacts: 0 },
    ...(artifactsLost === undefined ? {} : { artifactsLost }),
    sslCheck: certificate?.report ?? null,
    ...(end.report?.detected ? { detectedSecrets: end.report.detected } : {}),
    ...(wayOut ? { denied: wayOut.denied() } : {}),
  };
  return outcomeOf({ end, timeoutMs, exceeded: cell.exceeded(), wayOut, certificate, details }, check);
}

function jobOf(
  script: Script,
  check: BrowserCheck,
  context: RunContext,
  times: Pick<BrowserJob, 'timeoutMs' | 'evidenceMs'>,
): BrowserJob {
  const baseUrl = check.baseUrl?.trim() || null;
  return {
    ...script,
    baseUrl,
    ...times,
    secrets: context.secrets ?? [],
    detectsSecrets: check.detectsSecrets === true,
    environment: scriptEnvironment(check, baseUrl),
  };
}
