/** Evaluates the verdict of a session for the escalation. Pure. Monitor errors do not count. */
import type { RunVerdict } from './escalation.ts';

/** The flags of a final result. */
export interface RunOutcomeFlags {
  readonly hasFailures: boolean;
  readonly hasErrors: boolean;
  readonly isDegraded: boolean;
  readonly isCancelled: boolean;
}

/** Share of locations that must fail in a parallel run. */
export interface ParallelThreshold {
  readonly enabled: boolean;
  /** 10, 20 … 100. */
  readonly percentage: number;
}

/**
 * Returns the verdict of a run over a number of locations; undefined if it was cancelled, or if locations with a
 * monitor error could change it.
 */
export function evaluateVerdict(
  results: readonly RunOutcomeFlags[],
  locations: number,
  { enabled, percentage }: ParallelThreshold,
): RunVerdict | undefined {
  const known = results.filter(({ hasErrors, isCancelled }) => !hasErrors && !isCancelled);
  const failed = known.filter(({ hasFailures }) => hasFailures).length;
  const unknown = Math.max(0, locations - known.length);
  const needed = enabled ? Math.max(1, Math.ceil((percentage * locations) / 100)) : 1;
  if (failed >= needed) return 'failed';
  if (known.length === 0 || failed + unknown >= needed) return undefined;
  return known.some(({ isDegraded, hasFailures }) => isDegraded && !hasFailures) ? 'degraded' : 'passed';
}
