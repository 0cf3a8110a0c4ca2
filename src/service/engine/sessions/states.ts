/** The states of a session and how they move: pure. Terminal states never change (docs/gaps.md, States). */

export type SessionStatus =
  | 'STARTED'
  | 'PROGRESS'
  | 'PROGRESS_FAILED'
  | 'PROGRESS_DEGRADED'
  | 'FAILED'
  | 'DEGRADED'
  | 'PASSED'
  | 'TIMED_OUT'
  | 'CANCELLED';

/** What one result says about its target: an error of the monitor counts as failed. */
export type Verdict = 'passed' | 'degraded' | 'failed';

/** What happens to a session. */
export type SessionEvent =
  /** A run reported; only a final result has a say in the verdict. */
  | { readonly type: 'reported'; readonly final: boolean; readonly verdict: Verdict }
  /** Every run has its final result. */
  | { readonly type: 'finished' }
  /** The session's deadline passed. */
  | { readonly type: 'timed-out' }
  /** It was cancelled, and the last of its runs has stopped. */
  | { readonly type: 'cancelled' };

export const TERMINAL_STATUSES = ['FAILED', 'DEGRADED', 'PASSED', 'TIMED_OUT', 'CANCELLED'] as const;

export function isTerminal(status: SessionStatus): boolean {
  return (TERMINAL_STATUSES as readonly string[]).includes(status);
}

/** The state after an event. */
export function moved(status: SessionStatus, event: SessionEvent): SessionStatus {
  if (isTerminal(status)) return status;
  switch (event.type) {
    case 'reported':
      return event.final ? progressed(status, event.verdict) : status === 'STARTED' ? 'PROGRESS' : status;
    case 'finished':
      return verdictOf(status);
    case 'timed-out':
      return 'TIMED_OUT';
    case 'cancelled':
      return 'CANCELLED';
    default:
      return event satisfies never;
  }
}

/** What a result says about the target. */
export function verdictOfResult(result: {
  readonly hasErrors: boolean;
  readonly hasFailures: boolean;
  readonly isDegraded: boolean;
}): Verdict {
  if (result.hasErrors || result.hasFailures) return 'failed';
  return result.isDegraded ? 'degraded' : 'passed';
}

function progressed(status: SessionStatus, verdict: Verdict): SessionStatus {
  if (verdict === 'failed' || status === 'PROGRESS_FAILED') return 'PROGRESS_FAILED';
  if (verdict === 'degraded' || status === 'PROGRESS_DEGRADED') return 'PROGRESS_DEGRADED';
  return 'PROGRESS';
}

function verdictOf(status: SessionStatus): SessionStatus {
  // Of which nothing was ever reported, nothing good is known.
  if (status === 'PROGRESS_FAILED' || status === 'STARTED') return 'FAILED';
  return status === 'PROGRESS_DEGRADED' ? 'DEGRADED' : 'PASSED';
}

/** A test session's state, from those of the sessions of its checks. */
export function testStatusOf(
  statuses: readonly SessionStatus[],
): 'RUNNING' | 'PASSED' | 'FAILED' | 'CANCELLED' {
  if (statuses.some((status) => !isTerminal(status))) return 'RUNNING';
  if (statuses.length === 0) return 'CANCELLED';
  if (statuses.some((status) => status === 'FAILED' || status === 'TIMED_OUT')) return 'FAILED';
  return statuses.includes('CANCELLED') ? 'CANCELLED' : 'PASSED';
}
