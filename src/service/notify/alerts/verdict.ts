/** What a session says to the escalation: pure. Only what was found about the target counts, never our own faults. */
import type { RunVerdict } from './escalation.ts';

/** A final result, as far as it matters. */
export interface RunOutcomeFlags {
  readonly hasFailures: boolean;
  readonly hasErrors: boolean;
  readonly isDegraded: boolean;
  readonly isCancelled: boolean;
}

/** Share of the locations of a parallel run that must fail. */
export interface ParallelThreshold {
  readonly enabled: boolean;
  /** 10, 20 … 100. */
  readonly percentage: number;
}

/**
 * The verdict of a run in so many locations; undefined where nothing is known for sure: it was cancelled, or what our own
 * faults left in the dark could turn it. A location of which nothing is known makes no good run (and no bad one).
 */
export function evaluateVerdict(
  findings: readonly RunOutcomeFlags[],
  locations: number,
  { enabled, percentage }: ParallelThreshold,
): RunVerdict | undefined {
  const known = findings.filter(({ hasErrors, isCancelled }) => !hasErrors && !isCancelled);
  const failed = known.filter(({ hasFailures }) => hasFailures).length;
  const unknown = Math.max(0, locations - known.length);
  const needed = enabled ? Math.max(1, Math.ceil((percentage * locations) / 100)) : 1;
  if (failed >= needed) return 'failed';
  if (known.length === 0 || failed + unknown >= needed) return undefined;
  return known.some(({ isDegraded, hasFailures }) => isDegraded && !hasFailures) ? 'degraded' : 'passed';
}
