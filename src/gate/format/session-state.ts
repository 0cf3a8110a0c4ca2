/** The state of a session while the gate waits, and its severity. */

import type { SessionBody } from '../wait/verdict.ts';
import type { GateOutcome } from '../wait/wait-for-sessions.ts';

export interface SessionState {
  /** The last usable response. */
  readonly session: SessionBody | undefined;
  /** Its outcome, once the wait has ended. */
  readonly outcome: GateOutcome | undefined;
}

/** How a session is highlighted. */
export type Severity = 'bad' | 'doubtful' | 'running';

const DOUBTFUL_STATUSES = new Set(['PROGRESS_FAILED', 'PROGRESS_DEGRADED']);

/** Returns the severity of a session; undefined if it ended well. */
export function severityOf({ session, outcome }: SessionState): Severity | undefined {
  if (outcome) return outcome.exitCode === 0 ? undefined : 'bad';
  return session && DOUBTFUL_STATUSES.has(session.status) ? 'doubtful' : 'running';
}
