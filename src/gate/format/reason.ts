/** Formats why a session failed, in half a line. */

import { finalResultsOf, resultStatus } from '../wait/results.ts';
import { firstLine, listed, shortName } from '../words/text.ts';
import type { SessionState } from './session.ts';
import { sessionOf } from './session.ts';

const MAX_LOCATIONS = 3;

/** Why an outcome without an error has no verdict. */
export const NO_VERDICT = {
  deadline: 'still running at the deadline',
  unread: 'not read at the deadline',
  left: 'not awaited',
} as const;

/**
 * Returns why a session failed or may fail: the error of its last response, or the failed locations (`failed at eu-west-1`).
 * Undefined if only its status is known.
 */
export function reasonOf({ session, outcome }: SessionState): string | undefined {
  const end = outcome?.outcome;
  if (end && 'error' in end) return firstLine(end.error.message);
  if (end && end.kind !== 'ended') return NO_VERDICT[end.kind];
  const locations = new Map<string, Set<string>>();
  for (const result of finalResultsOf(outcome ? sessionOf(outcome) : session)) {
    const word = resultStatus(result);
    const { runLocation } = result;
    if (word === 'PASSED' || typeof runLocation !== 'string') continue;
    locations.set(word, (locations.get(word) ?? new Set()).add(shortName(runLocation)));
  }
  if (locations.size > 1) locations.delete('DEGRADED');
  if (locations.size === 0) return undefined;
  return [...locations]
    .map(([word, where]) => `${RESULT_LABELS[word]} at ${listed([...where], MAX_LOCATIONS)}`)
    .join('; ');
}

const RESULT_LABELS: Readonly<Record<string, string>> = {
  FAILED: 'failed',
  ERROR: 'error',
  CANCELLED: 'cancelled',
  DEGRADED: 'degraded',
};

/** Joins a state and its reason without repeating a word: `FAILED at eu-west-1`, `NOT_FOUND: no such session`. */
export function stateAndReason(state: string, reason: string | undefined): string {
  if (reason === undefined) return state;
  const rest = afterState(state, reason);
  return rest === reason ? `${state}: ${reason}` : `${state} ${rest}`;
}

/** Returns what a reason adds to the state before it: `at eu-west-1` after FAILED, and after PROGRESS_FAILED. */
export function afterState(state: string, reason: string): string {
  const word = state.slice(state.lastIndexOf('_') + 1).toLowerCase();
  return reason.startsWith(`${word} at `) ? reason.slice(word.length + 1) : reason;
}
