/** Reads fields of a session defensively: only the type of its status is certain. */

import { isObject } from '../../base/object.ts';
import { CHECK_TYPES } from '../../contract/generated/check-types.js';
import type { SessionBody } from '../wait/verdict.ts';
import type { GateOutcome } from '../wait/wait-for-sessions.ts';
import { textOf } from '../words/text.ts';

/** Returns a non-negative number, or undefined for any other value. */
export const durationOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

/** Returns the session of an outcome, if any response had it. */
export const sessionOf = ({ outcome }: GateOutcome): SessionBody | undefined => outcome.session;

/** Returns how the results of an ended session contradict its status, if they do. */
export const contradictionOf = ({ outcome }: GateOutcome): string | undefined =>
  outcome.kind === 'ended' ? outcome.contradiction : undefined;

/** Returns the status of the API, or NOT_FOUND, REFUSED or UNKNOWN. */
export function statusOf(outcome: GateOutcome): string {
  if (outcome.outcome.kind === 'refused')
    return outcome.outcome.error.status === 404 ? 'NOT_FOUND' : 'REFUSED';
  return sessionOf(outcome)?.status ?? 'UNKNOWN';
}

/** Returns the locations of the session. */
export const locationsOf = (session: SessionBody | undefined): readonly string[] =>
  (Array.isArray(session?.runLocations) ? session.runLocations : []).filter(
    (each) => textOf(each) !== undefined,
  );

/** Returns the elapsed time in the session, in ms. */
export const elapsedOf = (session: SessionBody | undefined): number | undefined =>
  durationOf(session?.timeElapsed);

/** Returns the duration of an ended session in ms. A running session only has its age at the time of the response. */
export const tookOf = ({ outcome }: GateOutcome): number | undefined =>
  outcome.kind === 'ended' ? elapsedOf(outcome.session) : undefined;

/** Fields of a result that depend on the check type. */
export const RECORDS: readonly string[] = Object.values(CHECK_TYPES).map(({ resultField }) => resultField);

/** Returns why a result is degraded: the last note of its details. Undefined without details. */
export function degradationOf(result: Readonly<Record<string, unknown>>): string | undefined {
  if (result.isDegraded !== true) return undefined;
  const notes = RECORDS.flatMap((field) => {
    const record = result[field];
    return isObject(record) && Array.isArray(record.notes) ? [record.notes] : [];
  });
  return textOf(notes[0]?.at(-1));
}

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
