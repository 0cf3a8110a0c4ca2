/** Defines the states of a session and their transitions. Terminal states never change (docs/gaps.md, States). Pure. */

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

/** The verdict of one result. A monitor error counts as failed. */
export type Verdict = 'passed' | 'degraded' | 'failed';

/** An event of a session. */
export type SessionEvent =
  /** A run reported. Only final results affect the verdict. */
  | { readonly type: 'reported'; readonly final: boolean; readonly verdict: Verdict }
  /** Every run has its final result. */
  | { readonly type: 'finished' }
  /** The session's deadline passed. */
  | { readonly type: 'timed-out' }
  /** The session was cancelled, and its last run has stopped. */
  | { readonly type: 'cancelled' };

export const TERMINAL_STATUSES = ['FAILED', 'DEGRADED', 'PASSED', 'TIMED_OUT', 'CANCELLED'] as const;

export function isTerminal(status: SessionStatus): boolean {
  return (TERMINAL_STATUSES as readonly string[]).includes(status);
}

export function nextStatus(status: SessionStatus, event: SessionEvent): SessionStatus {
  if (isTerminal(status)) return status;
  switch (event.type) {
    case 'reported':
      return event.final ? progressStatus(status, event.verdict) : status === 'STARTED' ? 'PROGRESS' : status;
    case 'finished':
      return finalStatus(status);
    case 'timed-out':
      return 'TIMED_OUT';
    case 'cancelled':
      return 'CANCELLED';
    default:
      return event satisfies never;
  }
}

export function verdictOfResult(result: {
  readonly hasErrors: boolean;
  readonly hasFailures: boolean;
  readonly isDegraded: boolean;
}): Verdict {
  if (result.hasErrors || result.hasFailures) return 'failed';
  return result.isDegraded ? 'degraded' : 'passed';
}

function progressStatus(status: SessionStatus, verdict: Verdict): SessionStatus {
  if (verdict === 'failed' || status === 'PROGRESS_FAILED') return 'PROGRESS_FAILED';
  if (verdict === 'degraded' || status === 'PROGRESS_DEGRADED') return 'PROGRESS_DEGRADED';
  return 'PROGRESS';
}

function finalStatus(status: SessionStatus): SessionStatus {
  // A session without any report counts as failed.
  if (status === 'PROGRESS_FAILED' || status === 'STARTED') return 'FAILED';
  return status === 'PROGRESS_DEGRADED' ? 'DEGRADED' : 'PASSED';
}

/** Returns the status of a test session from the statuses of its sessions. */
export function testStatusOf(
  statuses: readonly SessionStatus[],
): 'RUNNING' | 'PASSED' | 'FAILED' | 'CANCELLED' {
  if (statuses.some((status) => !isTerminal(status))) return 'RUNNING';
  if (statuses.length === 0) return 'CANCELLED';
  if (statuses.some((status) => status === 'FAILED' || status === 'TIMED_OUT')) return 'FAILED';
  return statuses.includes('CANCELLED') ? 'CANCELLED' : 'PASSED';
}
