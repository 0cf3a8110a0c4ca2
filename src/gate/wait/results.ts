/** Reads the results of a session defensively. */
import { textOf } from '../words/text.ts';
import type { SessionBody, SessionResult } from './verdict.ts';

/** Returns the final results, without attempts. */
export function finalResultsOf(session: SessionBody | undefined): readonly SessionResult[] {
  return (Array.isArray(session?.results) ? session.results : []).filter(
    (result) => result !== null && typeof result === 'object' && result.resultType !== 'ATTEMPT',
  );
}

/** The statuses of results of test sessions that are worse than their flags. */
const BAD_STATUSES: Readonly<Record<string, 'FAILED' | 'CANCELLED'>> = {
  FAILED: 'FAILED',
  TIMED_OUT: 'FAILED',
  CANCELLED: 'CANCELLED',
};

/** Returns the status of a result: the worst of its flags and of the status that some deployments add. */
export function resultStatus(
  result: SessionResult,
): 'CANCELLED' | 'ERROR' | 'FAILED' | 'DEGRADED' | 'PASSED' {
  const own = textOf(result.status) ?? '';
  if (result.isCancelled || result.aborted) return 'CANCELLED';
  if (result.hasErrors) return 'ERROR';
  if (result.hasFailures) return 'FAILED';
  const bad = Object.hasOwn(BAD_STATUSES, own) ? BAD_STATUSES[own] : undefined;
  if (bad !== undefined) return bad;
  return result.isDegraded ? 'DEGRADED' : 'PASSED';
}
