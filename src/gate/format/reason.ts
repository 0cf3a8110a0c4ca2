/** Why a session is bad, in half a line. */
import { firstLine, listed, shortName } from '../text.ts';
import { finalResultsOf, resultWord, sessionOf } from './session.ts';
import type { Watched } from './watched.ts';

const MOST_LOCATIONS = 3;

/**
 * Why a session ended badly, or may: the fault of its last answer, or what went wrong where (`failed at eu-west-1`).
 * Undefined where nothing is known but its status.
 */
export function reasonOf({ session, outcome }: Watched): string | undefined {
  if (outcome && 'error' in outcome.outcome) return firstLine(outcome.outcome.error.message);
  if (outcome?.outcome.kind === 'deadline') return 'still running at the deadline';
  if (outcome?.outcome.kind === 'left') return 'not awaited';
  const places = new Map<string, Set<string>>();
  for (const result of finalResultsOf(outcome ? sessionOf(outcome) : session)) {
    const word = resultWord(result);
    const { runLocation } = result;
    if (word === 'PASSED' || typeof runLocation !== 'string') continue;
    places.set(word, (places.get(word) ?? new Set()).add(shortName(runLocation)));
  }
  if (places.size > 1) places.delete('DEGRADED');
  if (places.size === 0) return undefined;
  return [...places]
    .map(([word, where]) => `${WORDS[word]} at ${listed([...where], MOST_LOCATIONS)}`)
    .join('; ');
}

const WORDS: Readonly<Record<string, string>> = {
  FAILED: 'failed',
  ERROR: 'error',
  CANCELLED: 'cancelled',
  DEGRADED: 'degraded',
};

/** A state with its reason, which does not say the state's word again: `FAILED at eu-west-1`, `NOT_FOUND: no such session`. */
export function stateAndReason(state: string, reason: string | undefined): string {
  if (reason === undefined) return state;
  const rest = afterState(state, reason);
  return rest === reason ? `${state}: ${reason}` : `${state} ${rest}`;
}

/** What a reason adds to the state that stands before it: `at eu-west-1` after FAILED, and after PROGRESS_FAILED. */
export function afterState(state: string, reason: string): string {
  const word = state.slice(state.lastIndexOf('_') + 1).toLowerCase();
  return reason.startsWith(`${word} at `) ? reason.slice(word.length + 1) : reason;
}
