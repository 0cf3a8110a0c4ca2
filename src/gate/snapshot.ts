/** What is known of a gate at one moment: the one thing that its reports are made of. */

import type { Row } from './format/rows.ts';
import type { GateOutcome } from './wait/gate.ts';
import type { SessionKind } from './wait/verdict.ts';

/** A gate that is over, was broken off, or has not begun. */
export interface Told {
  readonly kind: SessionKind;
  /** False only in the report before the beginning: whoever is killed later leaves that, and never a good one. */
  readonly isOver: boolean;
  /** Whether the gate ended before its sessions: by a signal, a refusal, a fault of ours. Who is `left` then has no verdict. */
  readonly isBrokenOff: boolean;
  readonly exitCode: number;
  /** The gate in a sentence. */
  readonly sentence: string;
  readonly outcomes: readonly GateOutcome[];
  /** A row a location and session, what went wrong first. */
  readonly rows: readonly Row[];
  /** Checks that were to run and have no session. */
  readonly unstarted: readonly string[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly tookMs: number;
}
