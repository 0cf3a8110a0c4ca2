/** Which of many sessions are told of while the gate waits, what looks bad first, and how many the others are. */
import { wordOf } from '../format/lines.ts';
import { type Outlook, outlookOf, type Watched } from '../format/watched.ts';

export interface Survey {
  /** The sessions to tell of, with their ids: those that ended badly, then the running, what looks bad first. */
  readonly told: readonly (readonly [string, Watched])[];
  /** The others, counted: `12 passed`, `3 more failed`, `940 more waiting`. */
  readonly others: readonly string[];
  /** How many still run. */
  readonly left: number;
}

/** Looks at all sessions, and picks at most so many (at least one). Cheap also for thousands. */
export function survey(watched: ReadonlyMap<string, Watched>, most: number): Survey {
  const picked: Record<Outlook, (readonly [string, Watched])[]> = { bad: [], doubtful: [], running: [] };
  const ended = new Map<string, number>();
  let left = 0;
  for (const entry of watched) {
    const [, each] = entry;
    const outlook = outlookOf(each);
    if (each.outcome) ended.set(wordOf(each.outcome), (ended.get(wordOf(each.outcome)) ?? 0) + 1);
    else left += 1;
    if (outlook && picked[outlook].length < most) picked[outlook].push(entry);
  }
  const running = [...picked.doubtful, ...picked.running];
  // However many are bad: that something goes on must be seen, too.
  const kept = Math.min(running.length, Math.floor(most / 4));
  const told = [...picked.bad.slice(0, most - kept), ...running].slice(0, most);

  let toldLeft = 0;
  const toldEnded = new Map<string, number>();
  for (const [, { outcome }] of told) {
    if (outcome) toldEnded.set(wordOf(outcome), (toldEnded.get(wordOf(outcome)) ?? 0) + 1);
    else toldLeft += 1;
  }
  const count = (all: number, already: number, word: string): readonly string[] =>
    all > already ? [`${all - already} ${already > 0 ? 'more ' : ''}${word}`] : [];
  const others = [...ended]
    .toSorted(([a], [b]) => GOOD_FIRST.indexOf(b) - GOOD_FIRST.indexOf(a))
    .flatMap(([word, all]) => count(all, toldEnded.get(word) ?? 0, word));
  return { told, others: [...others, ...count(left, toldLeft, 'waiting')], left };
}

/** From the last to the first; all others come after them. */
const GOOD_FIRST = ['degraded', 'passed'];
