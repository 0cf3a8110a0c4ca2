/** What the gate says of a session: one line on each change while it waits, and the word that it is counted by. */
import { plural } from '../../base/plural.ts';
import { shortId } from '../../base/short-id.ts';
import { duration } from '../../terminal/index.ts';
import { firstLine, listed, shortName } from '../text.ts';
import type { GateOutcome } from '../wait/gate.ts';
import { MOST_LONG_POLLS } from '../wait/poll-scheduler.ts';
import type { SessionBody, Verdict } from '../wait/verdict.ts';
import { reasonOf, stateAndReason } from './reason.ts';
import { finalResultsOf, locationsOf, sessionOf, statusOf } from './session.ts';

/** `Apex record (0b5b2c1e)`; the whole id where no answer told a name. */
export const nameOf = (id: string, session: SessionBody | undefined): string =>
  typeof session?.name === 'string' && session.name !== ''
    ? `${shortName(session.name)} (${shortId(id)})`
    : id;

/** `1 of 3 locations`; empty where the session does not tell its locations. */
export function locationsText(session: SessionBody | undefined): string {
  const all = locationsOf(session).length;
  const done = new Set(finalResultsOf(session).map(({ runLocation }) => runLocation)).size;
  return all > 0 ? `${done} of ${plural(all, 'location')}` : '';
}

/** `Apex record (0b5b2c1e) PROGRESS_FAILED, 1 of 3 locations done, failed at eu-west-1, 12s`; without a time, none. */
export function runningLine(id: string, session: SessionBody | undefined, waitedMs?: number): string {
  const done = locationsText(session);
  const reason = reasonOf({ session, outcome: undefined });
  const parts = [
    firstLine(session?.status ?? 'waiting'),
    done && `${done} done`,
    reason,
    waitedMs === undefined ? '' : duration(waitedMs),
  ];
  return `${nameOf(id, session)} ${parts.filter(Boolean).join(', ')}`;
}

/** `Apex record (0b5b2c1e) PASSED`, `Apex record (0b5b2c1e) FAILED at eu-west-1`. */
export function outcomeLine(outcome: GateOutcome): string {
  const session = sessionOf(outcome);
  const reason = outcome.exitCode === 0 ? undefined : reasonOf({ session, outcome });
  return `${nameOf(outcome.id, session)} ${stateAndReason(firstLine(statusOf(outcome)) ?? '', reason)}`;
}

/** What a job says of itself from time to time: `Waiting for 3 of 5 sessions, 2m: …; 2 passed`. `told`: of which in full. */
export function waitingLine(waitedMs: number, total: number, left: number, told: readonly string[]): string {
  return `Waiting for ${left} of ${plural(total, 'session')}, ${duration(waitedMs)}: ${told.join('; ')}`;
}

export const inTurnLine = (everyMs: number): string =>
  `sonde polls more than ${MOST_LONG_POLLS} sessions in turn; verdicts can be up to ${duration(everyMs)} late.`;

/** `no session was started for the check 0b5b2c1e…`. */
export const unstartedText = (checkIds: readonly string[]): string =>
  checkIds.length === 1
    ? `no session started for check ${checkIds[0]}`
    : `no session started for ${checkIds.length} checks: ${listed(checkIds, MOST_IDS)}`;

/** So many ids stand in a sentence. */
const MOST_IDS = 10;

/** How a session came out, for counting. */
export type Word =
  | Verdict
  | 'not found'
  | 'refused'
  | 'unreachable'
  | 'still running at the deadline'
  | 'not awaited';

export function wordOf({ outcome }: GateOutcome): Word {
  switch (outcome.kind) {
    case 'ended':
      return outcome.verdict;
    case 'refused':
      return outcome.error.status === 404 ? 'not found' : 'refused';
    case 'fault':
      return 'unreachable';
    case 'deadline':
      return 'still running at the deadline';
    case 'left':
      return 'not awaited';
    default:
      return outcome satisfies never;
  }
}
