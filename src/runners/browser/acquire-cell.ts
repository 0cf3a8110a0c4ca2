/**
 * Acquires cells for script runners, rejects runs that the sandbox cannot protect, and builds the environment of
 * scripts.
 */
import { type Sandbox, SandboxError, type WarmCell } from '../../sandbox/index.ts';
import { CannotRun, type RunContext } from '../types.ts';
import type { Egress } from './egress.ts';
import { NoBrowser } from './program.ts';

/**
 * Returns the acquired cell, or rejects at once if the signal is aborted. A cell that becomes ready later is closed.
 */
export async function acquireCell<Warm>(
  acquiring: Promise<WarmCell<Warm>>,
  signal: AbortSignal,
): Promise<WarmCell<Warm>> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([acquiring, aborted]);
  } catch (error) {
    if (signal.aborted) acquiring.then((warm) => warm.close()).catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Converts errors that prevent a run to CannotRun. Returns other errors unchanged. */
export function toCannotRun(error: unknown): unknown {
  return error instanceof NoBrowser || error instanceof SandboxError ? new CannotRun(error.message) : error;
}

/** Throws CannotRun if addresses are denied but the cell has the machine's network. */
export function assertClosedNetwork(
  { denyAddress }: Pick<RunContext, 'denyAddress'>,
  egress: Egress | undefined,
  sandbox: Sandbox,
): void {
  if (denyAddress && !(egress && sandbox.describe().network === 'none'))
    throw new CannotRun(
      'scripts are disabled: this service denies some addresses to its checks, and a script could open any connection',
    );
}

/** Outcome of a monitor error: nothing is known about the target. */
export const MONITOR_ERROR = {
  hasFailures: false,
  hasErrors: true,
  isDegraded: false,
  overMaxResponseTime: false,
  isNetworkError: false,
  responseTime: null,
} as const;

interface ScriptVariables {
  readonly environmentVariables?: readonly { readonly key: string; readonly value: string }[] | null;
  /** Whether a test session runs the check. */
  readonly isTest?: boolean;
}

/**
 * Returns the environment of a script, in addition to the variables that Node needs. `baseUrl`: of the group's
 * defaults.
 */
export function buildScriptEnvironment(
  { environmentVariables, isTest }: ScriptVariables,
  baseUrl: string | null,
): Record<string, string> {
  const variables = (environmentVariables ?? []).map(({ key, value }) => [key, value] as const);
  return {
    SONDE: '1',
    ...(isTest ? { CI: 'true' } : {}),
    ...(baseUrl === null ? {} : { ENVIRONMENT_URL: baseUrl }),
    // Every system ends a variable at a NUL.
    ...Object.fromEntries(variables.filter(([key, value]) => key !== '' && !`${key}${value}`.includes('\0'))),
  };
}
