/** What is known of each session while the gate waits, and how it looks. */
import type { GateOutcome } from '../wait/gate.ts';
import type { SessionBody } from '../wait/verdict.ts';

/** What is known of one session while the gate waits. */
export interface Watched {
  /** The last usable answer about it. */
  readonly session: SessionBody | undefined;
  /** How it ended, once it has. */
  readonly outcome: GateOutcome | undefined;
}

/** How a session looks to who waits. */
export type Outlook = 'bad' | 'doubtful' | 'running';

const LOOKS_BAD = new Set(['PROGRESS_FAILED', 'PROGRESS_DEGRADED']);

/** How a session looks; undefined where it ended well. */
export function outlookOf({ session, outcome }: Watched): Outlook | undefined {
  if (outcome) return outcome.exitCode === 0 ? undefined : 'bad';
  return session && LOOKS_BAD.has(session.status) ? 'doubtful' : 'running';
}
