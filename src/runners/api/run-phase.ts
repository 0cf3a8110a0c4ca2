/** Runs the setup or teardown scripts of a request, in order, in one process in a cell. */
import { toAbortSignal } from '../../base/abort.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import {
  type AcquiredProgram,
  assertClosedNetwork,
  buildScriptEnvironment,
} from '../browser/program-pool.ts';
import type { ConsoleLine, ScriptState } from '../browser/protocol.ts';
import { classifyEnd, findDenial } from '../browser/run-outcome.ts';
import { CannotRun, type RunContext } from '../core/runner.ts';
import type { Deadline } from '../network/deadline.ts';
import type { ApiCheck, PhaseScript } from './types.ts';

export type PhaseName = 'setup' | 'teardown';

/** The result of the scripts of a phase. */
export interface PhaseResult {
  readonly phase: PhaseName;
  readonly names: readonly string[];
  /** Why the scripts failed; empty if they passed. */
  readonly errors: readonly string[];
  readonly console: readonly ConsoleLine[];
  /** Milliseconds; null if the scripts did not end. */
  readonly durationMs: number | null;
}

interface PhaseInput {
  readonly phase: PhaseName;
  readonly scripts: readonly PhaseScript[];
  readonly check: ApiCheck;
  /** The current variables. */
  readonly variables: ReadonlyMap<string, string>;
  /** The globals of the scripts. */
  readonly globals: Readonly<Record<string, unknown>>;
  readonly secrets: readonly string[];
}

/** Time reserved to report a timeout, in ms. */
const MARGIN_MS = 500;

/** Runs a phase. Throws CannotRun if a failure is not the fault of the script. */
export async function runPhase(
  { runtime, warm }: AcquiredProgram,
  { phase, scripts, check, variables, globals, secrets }: PhaseInput,
  sandbox: Sandbox,
  context: RunContext,
  deadline: Deadline,
): Promise<{ readonly result: PhaseResult; readonly handed: ScriptState | undefined }> {
  const { cell, warm: prepared } = warm;
  assertClosedNetwork(context, prepared.egress, sandbox);
  const files = scripts.map(({ name, script }, index) => ({
    path: `${phase}-${index + 1}-${slugify(name)}.ts`,
    content: script,
  }));
  const [entry = '', ...further] = files.map(({ path }) => path);
  const environmentVariables = [...variables].map(([key, value]) => ({ key, value }));
  const timeoutMs = Math.max(1, Math.round(deadline.remainingMs() - MARGIN_MS));
  const programEnd = await prepared.program.run(
    {
      kind: 'script',
      entry,
      furtherScripts: further,
      files,
      globals,
      timeoutMs,
      secrets,
      baseUrl: null,
      artifactsMs: MARGIN_MS,
      environment: buildScriptEnvironment({ environmentVariables, isTest: check.isTest ?? false }, null),
    },
    timeoutMs + MARGIN_MS,
    toAbortSignal(deadline.signal),
  );
  const { outcome, errors } = classifyEnd(programEnd, timeoutMs, cell.exceeded());
  const denial = outcome === 'failed' ? findDenial(errors[0] ?? '', prepared.egress) : undefined;
  if (denial !== undefined) throw new CannotRun(denial);
  if (outcome === 'fault')
    throw new CannotRun(`the ${phase} could not be run (runtime ${runtime.id}): ${errors[0] ?? 'no reason'}`);
  return {
    result: {
      phase,
      names: scripts.map(({ name }) => name),
      console: programEnd.console,
      errors: outcome === 'passed' ? [] : errors.map((error) => `the ${phase} failed: ${error}`),
      durationMs: programEnd.report?.durationMs ?? null,
    },
    handed: outcome === 'passed' ? programEnd.report?.handed : undefined,
  };
}

const slugify = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60);
