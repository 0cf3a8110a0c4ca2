/** Formats the lines about a session while the gate waits, and the label of its outcome. */

import { formatDuration } from '../../base/format-duration.ts';
import { plural } from '../../base/plural.ts';
import { shortId } from '../../base/short-id.ts';
import { finalResultsOf } from '../wait/results.ts';
import type { SessionBody, SessionKind, Verdict } from '../wait/verdict.ts';
import type { GateOutcome } from '../wait/wait-for-sessions.ts';
import { firstLine, listed, shortName } from '../words/text.ts';
import { NO_VERDICT, reasonOf, stateAndReason } from './reason.ts';
import { locationsOf, sessionOf, statusOf } from './session.ts';

/** Returns `Apex record (0b5b2c1e)`, or the whole ID if the name is unknown. */
export const nameOf = (id: string, session: SessionBody | undefined): string =>
  typeof session?.name === 'string' && session.name !== ''
    ? `${shortName(session.name)} (${shortId(id)})`
    : id;

/** Returns `1 of 3 locations`, or '' if the locations are unknown. */
export function locationsText(session: SessionBody | undefined): string {
  const all = locationsOf(session).length;
  const done = new Set(finalResultsOf(session).map(({ runLocation }) => runLocation)).size;
  return all > 0 ? `${done} of ${plural(all, 'location')}` : '';
}

/** Returns `Apex record (0b5b2c1e) PROGRESS_FAILED, 1 of 3 locations done, failed at eu-west-1, 12s`. */
export function runningLine(id: string, session: SessionBody | undefined, waitedMs?: number): string {
  const done = locationsText(session);
  const reason = reasonOf({ session, outcome: undefined });
  const parts = [
    firstLine(session?.status ?? 'waiting'),
    done && `${done} done`,
    reason,
    waitedMs === undefined ? '' : formatDuration(waitedMs),
  ];
  return `${nameOf(id, session)} ${parts.filter(Boolean).join(', ')}`;
}

/** Returns `Apex record (0b5b2c1e) PASSED` or `Apex record (0b5b2c1e) FAILED at eu-west-1`. */
export function outcomeLine(outcome: GateOutcome): string {
  const session = sessionOf(outcome);
  const reason = outcome.exitCode === 0 ? undefined : reasonOf({ session, outcome });
  return `${nameOf(outcome.id, session)} ${stateAndReason(firstLine(statusOf(outcome)) ?? '', reason)}`;
}

/** Returns the periodic status line: `Waiting for 3 of 5 sessions, 2m: …; 2 passed`. */
export function waitingLine(
  waitedMs: number,
  total: number,
  left: number,
  details: readonly string[],
): string {
  return `Waiting for ${left} of ${plural(total, 'session')}, ${formatDuration(waitedMs)}: ${details.join('; ')}`;
}

export const pollsInTurnLine = (everyMs: number): string =>
  `sonde reads the sessions one by one; verdicts can be up to ${formatDuration(everyMs)} late.`;

/** Returns `no session started for check 0b5b2c1e…`; in a test session, `no result for check 0b5b2c1e…`. */
export const unstartedText = (
  checkIds: readonly string[],
  noun: SessionKind['noun'] = 'check session',
): string => {
  const what = noun === 'check session' ? 'no session started' : 'no result';
  return checkIds.length === 1
    ? `${what} for check ${checkIds[0]}`
    : `${what} for ${checkIds.length} checks: ${listed(checkIds, MAX_IDS)}`;
};

/** Returns what the service did not do for a check that had to run. */
export const absenceText = (noun: SessionKind['noun']): string =>
  noun === 'check session' ? 'started no session' : 'returned no result';

/** Maximum number of IDs in a sentence. */
const MAX_IDS = 10;

/** The outcome of a session, as a label for counting. */
export type OutcomeLabel =
  | Verdict
  | 'not found'
  | 'refused'
  | 'unreachable'
  | (typeof NO_VERDICT)[keyof typeof NO_VERDICT];

export function outcomeLabel({ outcome }: GateOutcome): OutcomeLabel {
  switch (outcome.kind) {
    case 'ended':
      return outcome.verdict;
    case 'refused':
      return outcome.error.status === 404 ? 'not found' : 'refused';
    case 'fault':
      return 'unreachable';
    default:
      return NO_VERDICT[outcome.kind];
  }
}
