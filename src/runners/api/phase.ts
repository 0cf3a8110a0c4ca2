/** Runs the scripts before a request, or those after it: one after the other, in one process in a cell. */
import { signalOf } from '../../base/stop.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { assertClosedNetwork, buildScriptEnvironment } from '../browser/acquire-cell.ts';
import type { AcquiredProgram } from '../browser/program-pool.ts';
import type { ConsoleLine, ScriptState } from '../browser/protocol.ts';
import { classifyEnd, findDenial } from '../browser/run-outcome.ts';
import type { Patience } from '../network/deadline.ts';
import { CannotRun, type RunContext } from '../types.ts';
import type { ApiCheck, PhaseScript } from './types.ts';

export type PhaseName = 'setup' | 'teardown';

/** What the scripts of a phase came to. */
export interface PhaseEnd {
  readonly phase: PhaseName;
  readonly names: readonly string[];
  /** Why they failed; empty: they did not. */
  readonly errors: readonly string[];
  readonly console: readonly ConsoleLine[];
  /** Ms; null where they never came to an end. */
  readonly durationMs: number | null;
}

interface Phase {
  readonly phase: PhaseName;
  readonly scripts: readonly PhaseScript[];
  readonly check: ApiCheck;
  /** The variables as they are by now. */
  readonly variables: ReadonlyMap<string, string>;
  /** What the scripts find as globals. */
  readonly globals: Readonly<Record<string, unknown>>;
  readonly secrets: readonly string[];
}

/** What is kept of its time for saying that it was too long, in ms. */
const MARGIN_MS = 500;

/** Throws CannotRun where it could not be run for reasons that are not the script's. */
export async function runPhase(
  { runtime, warm }: AcquiredProgram,
  { phase, scripts, check, variables, globals, secrets }: Phase,
  sandbox: Sandbox,
  context: RunContext,
  patience: Patience,
): Promise<{ readonly end: PhaseEnd; readonly handed: ScriptState | undefined }> {
  const { cell, warm: held } = warm;
  assertClosedNetwork(context, held.egress, sandbox);
  const files = scripts.map(({ name, script }, index) => ({
    path: `${phase}-${index + 1}-${slug(name)}.ts`,
    content: script,
  }));
  const [entry = '', ...further] = files.map(({ path }) => path);
  const environmentVariables = [...variables].map(([key, value]) => ({ key, value }));
  const timeoutMs = Math.max(1, Math.round(patience.left() - MARGIN_MS));
  const ended = await held.program.run(
    {
      ...{
        kind: 'script',
        entry,
        furtherScripts: further,
        files,
        globals,
        timeoutMs,
        secrets,
        baseUrl: null,
      },
      artifactsMs: MARGIN_MS,
      environment: buildScriptEnvironment({ environmentVariables, isTest: check.isTest ?? false }, null),
    },
    timeoutMs + MARGIN_MS,
    signalOf(patience.signal),
  );
  const { outcome, errors } = classifyEnd(ended, timeoutMs, cell.exceeded());
  const denied = outcome === 'failed' ? findDenial(errors[0] ?? '', held.egress) : undefined;
  if (denied !== undefined) throw new CannotRun(denied);
  if (outcome === 'fault')
    throw new CannotRun(`the ${phase} could not be run (runtime ${runtime.id}): ${errors[0] ?? 'no reason'}`);
  return {
    end: {
      ...{ phase, names: scripts.map(({ name }) => name), console: ended.console },
      errors: outcome === 'passed' ? [] : errors.map((error) => `the ${phase} failed: ${error}`),
      durationMs: ended.report?.durationMs ?? null,
    },
    handed: outcome === 'passed' ? ended.report?.handed : undefined,
  };
}

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60);
