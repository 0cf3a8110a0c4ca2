/**
 * Answers that are known as text while nothing was written to the tables that they were read from: asked for again, they cost
 * no question to the store. The one place where the API remembers what the store holds.
 */
import type { ChangeCounts, TableName } from '../../store/index.ts';

/** So many characters are kept, keys and texts together; the answer that was asked for longest ago goes first. */
const MOST_CHARACTERS = 2_000_000;
/** Longer ones are not kept. */
const LONGEST = 50_000;

/** Of which answers of an endpoint the text may be kept. */
export interface Lasting<Answer> {
  /** All that the answer is read from. It must depend on nothing else that changes: neither on the time nor on who asks. */
  readonly tables: readonly TableName[];
  /** Left out: all of them. */
  readonly isSettled?: (answer: Answer) => boolean;
}

/** The kept answers of one endpoint. */
export interface Remembered {
  /** The text as it would be made now; undefined where that is not known. */
  get(key: string): string | undefined;
  /** What stands now: to be taken before the answer is read, and handed to `learn` with it. */
  state(): number;
  learn(key: string, answer: unknown, text: string, state: number): void;
}

interface Known {
  readonly text: string;
  readonly state: number;
}

/** One memory for all endpoints of a service. Without `changes` it keeps nothing. */
export function memory(changes: ChangeCounts | undefined, most = MOST_CHARACTERS) {
  const known = new Map<string, Known>();
  let characters = 0;
  const sizeOf = (key: string, { text }: Known) => key.length + text.length;

  function forget(key: string): void {
    const gone = known.get(key);
    if (gone === undefined) return;
    known.delete(key);
    characters -= sizeOf(key, gone);
  }
  function keep(key: string, answer: Known): void {
    known.set(key, answer);
    characters += sizeOf(key, answer);
    for (const oldest of known.keys()) {
      if (characters <= most) return;
      forget(oldest);
    }
  }

  return <Answer>({ tables, isSettled }: Lasting<Answer>): Remembered | undefined =>
    changes && {
      get(key) {
        const found = known.get(key);
        if (found === undefined) return undefined;
        forget(key);
        if (found.state !== changes.sum(tables)) return undefined;
        keep(key, found);
        return found.text;
      },
      state: () => changes.sum(tables),
      learn(key, answer, text, state) {
        forget(key);
        if (isSettled !== undefined && !isSettled(answer as Answer)) return;
        const made = { text, state };
        if (sizeOf(key, made) <= LONGEST) keep(key, made);
      },
    };
}
