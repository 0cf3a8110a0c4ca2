/** Selects the sessions to show while the gate waits, failures first, and counts the others. */
import { outcomeLabel } from '../format/lines.ts';
import { type SessionState, type Severity, severityOf } from '../format/session-state.ts';

export interface SessionSelection {
  /** The sessions to show, by ID: failed ones first, then running ones, those likely to fail first. */
  readonly shown: readonly (readonly [string, SessionState])[];
  /** Counts of the others: `12 passed`, `3 more failed`, `940 more waiting`. */
  readonly others: readonly string[];
  /** Number of running sessions. */
  readonly left: number;
}

/** Selects at most `most` sessions (at least one). Fast for thousands of sessions. */
export function selectSessions(watched: ReadonlyMap<string, SessionState>, most: number): SessionSelection {
  const picked: Record<Severity, (readonly [string, SessionState])[]> = {
    bad: [],
    doubtful: [],
    running: [],
  };
  const ended = new Map<string, number>();
  let left = 0;
  for (const entry of watched) {
    const [, each] = entry;
    const outlook = severityOf(each);
    if (each.outcome) ended.set(outcomeLabel(each.outcome), (ended.get(outcomeLabel(each.outcome)) ?? 0) + 1);
    else left += 1;
    if (outlook && picked[outlook].length < most) picked[outlook].push(entry);
  }
  const running = [...picked.doubtful, ...picked.running];
  // Reserves a quarter for running sessions, however many have failed.
  const reserved = Math.min(running.length, Math.floor(most / 4));
  const shown = [...picked.bad.slice(0, most - reserved), ...running].slice(0, most);

  let shownLeft = 0;
  const shownEnded = new Map<string, number>();
  for (const [, { outcome }] of shown) {
    if (outcome) shownEnded.set(outcomeLabel(outcome), (shownEnded.get(outcomeLabel(outcome)) ?? 0) + 1);
    else shownLeft += 1;
  }
  const count = (all: number, already: number, word: string): readonly string[] =>
    all > already ? [`${all - already} ${already > 0 ? 'more ' : ''}${word}`] : [];
  const others = [...ended]
    .toSorted(([a], [b]) => GOOD_FIRST.indexOf(b) - GOOD_FIRST.indexOf(a))
    .flatMap(([word, all]) => count(all, shownEnded.get(word) ?? 0, word));
  return { shown, others: [...others, ...count(left, shownLeft, 'waiting')], left };
}

/** Good outcomes come last. */
const GOOD_FIRST = ['degraded', 'passed'];
