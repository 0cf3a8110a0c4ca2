/** What runners of scripts share: taking a cell while it is wanted, saying what cannot be run, and what a script's environment holds. */
import { type Sandbox, SandboxError, type WarmCell } from '../../sandbox/index.ts';
import { CannotRun, type RunContext } from '../types.ts';
import type { Egress } from './egress.ts';
import { NoBrowser } from './program.ts';

/** What is taken, or the signal's reason at once: a cell that is being made is closed when it is there. */
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

/** What keeps a check from being run is said as it is; anything else is a fault within. */
export function toCannotRun(error: unknown): unknown {
  return error instanceof NoBrowser || error instanceof SandboxError ? new CannotRun(error.message) : error;
}

/** Where addresses are denied scripts run in cells without a network alone. Throws CannotRun. */
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

/** Something of ours went wrong: nothing is known of the target. */
export const MONITOR_ERROR = {
  ...{ hasFailures: false, hasErrors: true, isDegraded: false, overMaxResponseTime: false },
  ...{ isNetworkError: false, responseTime: null },
} as const;

interface ScriptVariables {
  readonly environmentVariables?: readonly { readonly key: string; readonly value: string }[] | null;
  /** Whether a test session runs it. */
  readonly isTest?: boolean;
}

/** What a script finds in its environment besides what Node needs. `baseUrl`: of the group's defaults. */
export function buildScriptEnvironment(
  { environmentVariables, isTest }: ScriptVariables,
  baseUrl: string | null,
): Record<string, string> {
  const variables = (environmentVariables ?? []).map(({ key, value }) => [key, value] as const);
  return {
    SONDE: '1',
    ...(isTest ? { CI: 'true' } : {}),
    ...(baseUrl === null ? {} : { ENVIRONMENT_URL: baseUrl }),
    // A NUL ends a variable for every system.
    ...Object.fromEntries(variables.filter(([key, value]) => key !== '' && !`${key}${value}`.includes('\0'))),
  };
}
