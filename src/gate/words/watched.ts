/** What is known of each session while the gate waits, and how it stands. */
import type { GateOutcome } from '../wait/gate.ts';
import type { SessionBody } from '../wait/verdict.ts';

/** What is known of one session while the gate waits. */
export interface Watched {
  /** The last usable answer about it. */
  readonly session: SessionBody | undefined;
  /** How it ended, once it has. */
  readonly outcome: GateOutcome | undefined;
}

export type Standing = 'bad' | 'doubtful' | 'running';

const LOOKS_BAD = new Set(['PROGRESS_FAILED', 'PROGRESS_DEGRADED']);

/** How a session stands; undefined where it ended well. */
export function standingOf({ session, outcome }: Watched): Standing | undefined {
  if (outcome) return outcome.exitCode === 0 ? undefined : 'bad';
  return session && LOOKS_BAD.has(session.status) ? 'doubtful' : 'running';
}
