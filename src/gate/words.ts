/** What the gate says of itself: one line on each change while it waits, and one sentence at its end. */
import { duration, sanitizeLine } from '../terminal/index.ts';
import type { GateOutcome, GateResult } from './gate.ts';
import { finalResultsOf, sessionOf, statusOf } from './rows.ts';
import { MOST_LONG_POLLS } from './turns.ts';
import type { SessionBody, SessionKind } from './verdict.ts';

const short = (id: string): string => id.slice(0, 8);
const nameOf = (id: string, session: SessionBody | undefined): string =>
  session?.name ? `${sanitizeLine(session.name)} (${short(id)})` : id;

const locationsDone = (session: SessionBody): string => {
  const all = session.runLocations?.length ?? 0;
  const done = new Set(finalResultsOf(session).map(({ runLocation }) => runLocation)).size;
  return all > 0 ? `, ${done} of ${all} ${all === 1 ? 'location' : 'locations'} done` : '';
};

/** `Apex record (0b5b2c1e) PROGRESS, 1 of 3 locations done, 12 s`. */
export const runningLine = (id: string, session: SessionBody | undefined, waitedMs: number): string =>
  `${nameOf(id, session)} ${session?.status ?? 'waiting'}${session ? locationsDone(session) : ''}, ${duration(waitedMs)}`;

/** `Apex record (0b5b2c1e) PASSED`. */
export const outcomeLine = (outcome: GateOutcome): string => {
  const { kind } = outcome.outcome;
  const why =
    'error' in outcome.outcome
      ? `: ${outcome.outcome.error.message}`
      : kind === 'deadline'
        ? ': still running at the deadline'
        : kind === 'left'
          ? ': no longer waited for'
          : '';
  return `${nameOf(outcome.id, sessionOf(outcome))} ${statusOf(outcome)}${why}`;
};

export const inTurnLine = (everyMs: number): string =>
  `More than ${MOST_LONG_POLLS} sessions are asked in turn: a verdict may be seen up to ${duration(everyMs)} late.`;

/** `no session was started for the check 0b5b2c1e…`. */
export const unstartedText = (checkIds: readonly string[]): string =>
  `no session was started for the ${checkIds.length === 1 ? 'check' : 'checks'} ${checkIds.join(', ')}`;

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The sentence at the end. `tookMs`: how long the gate held. */
export function summary(kind: SessionKind, { outcomes, exitCode }: GateResult, tookMs: number): string {
  const total = plural(outcomes.length, kind.noun);
  if (exitCode === 0) {
    const degraded = outcomes.filter((outcome) => statusOf(outcome) === 'DEGRADED').length;
    return `${total} ended well in ${duration(tookMs)}${degraded > 0 ? ` (${degraded} degraded)` : ''}`;
  }
  const bad = outcomes.filter((outcome) => outcome.exitCode !== 0);
  const [only] = bad;
  if (outcomes.length === 1 && only) return sentenceOf(kind, only);
  const counts = new Map<string, number>();
  for (const outcome of bad) {
    const word = wordOf(outcome);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const told = [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
  return `Of ${total}: ${told}`;
}

function wordOf({ outcome }: GateOutcome): string {
  switch (outcome.kind) {
    case 'ended':
      return outcome.verdict;
    case 'refused':
      return outcome.error.status === 404 ? 'not found' : 'refused';
    case 'fault':
      return 'out of reach';
    case 'deadline':
      return 'still running at the deadline';
    case 'left':
      return 'no longer waited for';
    default:
      return outcome satisfies never;
  }
}

function sentenceOf(kind: SessionKind, told: GateOutcome): string {
  const { outcome } = told;
  const who = `The ${kind.noun} ${nameOf(told.id, sessionOf(told))}`;
  switch (outcome.kind) {
    case 'ended':
      return outcome.verdict === 'degraded'
        ? `${who} is degraded`
        : `${who} ${outcome.verdict === 'cancelled' ? 'was ' : ''}${outcome.verdict}`;
    case 'refused':
      return `${who} cannot be waited for: ${outcome.error.message}`;
    case 'fault':
      return `${who} was out of reach at the deadline, so its verdict is unknown: ${outcome.error.message}`;
    case 'deadline':
      return `${who} was still running at the deadline, so its verdict is unknown`;
    case 'left':
      return `${who} was no longer waited for`;
    default:
      return outcome satisfies never;
  }
}
