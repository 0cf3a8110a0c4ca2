/** The state of a gate at one moment, from which all reports are generated. */

import type { Row } from './format/rows.ts';
import type { SessionKind } from './wait/verdict.ts';
import type { GateOutcome } from './wait/wait-for-sessions.ts';

/** A gate that ended, was interrupted, or has not started. */
export interface GateSnapshot {
  readonly kind: SessionKind;
  /** False only in the report written before the start. A gate that is killed leaves that report, never a green one. */
  readonly isOver: boolean;
  /** Whether a signal, a rejected request or a bug ended the gate before its sessions. Outcomes of kind `left` then have no verdict. */
  readonly isBrokenOff: boolean;
  readonly exitCode: number;
  /** One sentence that summarises the gate. */
  readonly sentence: string;
  readonly outcomes: readonly GateOutcome[];
  /** One row per session and location, failures first. */
  readonly rows: readonly Row[];
  /** IDs of checks that should have run and have no session. */
  readonly unstarted: readonly string[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly tookMs: number;
}
