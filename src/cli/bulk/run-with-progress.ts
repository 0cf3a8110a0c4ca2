/** Works through several ids in front of a person: how far it is, what became of each, and what a stop leaves. */
import { sanitizeLine } from '../../terminal/index.ts';
import { listed } from '../framework/confirm.ts';
import type { Deps } from '../framework/index.ts';
import { inBulk, type Left, type Outcome } from './run-for-all.ts';

/** How the work is spoken of. */
export interface Words {
  /** `snippet`, and several of it. */
  readonly noun: string;
  readonly plural: string;
  /** `Deleting` */
  readonly doing: string;
  /** `deleted` */
  readonly done: string;
  /** What takes the work up again after a stop: `run the same command again`. */
  readonly goOn: string;
}

export interface Work<I, R> {
  readonly inputs: readonly I[];
  readonly idOf: (input: I) => string | number;
  readonly work: (input: I) => Promise<R>;
  /** What is said of a success. */
  readonly tell: (id: string | number, value: R) => string;
  readonly words: Words;
}

/** From how many on their number is said at the end. */
const MANY = 20;

/** Gives the outcomes as `inBulk` does. */
export async function workThrough<I, R>(
  { terminal, signal }: Deps,
  { inputs, idOf, work, tell, words }: Work<I, R>,
): Promise<readonly Outcome<R>[]> {
  const { noun, plural, doing, done } = words;
  const ids = [...new Set(inputs.map(idOf))];
  if (ids.length === 0) return [];
  let over = 0;
  const now = () =>
    ids.length === 1
      ? `${doing} the ${noun} ${ids[0]}`
      : `${doing} ${Math.min(over + 1, ids.length)} of ${ids.length} ${plural}`;
  const live = terminal.live(({ width, spinnerFrame: turning, measure, styles }) => [
    { mark: styles.cyan(turning), text: measure.cut(sanitizeLine(now()), width - 2) },
  ]);
  try {
    const outcomes = await inBulk({
      ...{ inputs, idOf, work, signal },
      over: () => {
        over += 1;
      },
      done: (id, value) => terminal.note(tell(id, value)),
      stopped: async (left) => {
        await live.stop();
        if (ids.length < 2) return;
        await terminal.warn(`interrupted: ${left.done.length} of ${ids.length} ${plural} ${done}`);
        await terminal.lines(whatIsLeft(left, words), undefined, '  ');
      },
    });
    const failed = outcomes.filter((outcome) => 'error' in outcome).length;
    if (outcomes.length > MANY && failed === 0) {
      await terminal.note(`${upperFirst(done)}: all ${outcomes.length} ${plural}.`);
    }
    return outcomes;
  } finally {
    await live.stop();
  }
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A sentence each on what may have been done, and what was not. */
function whatIsLeft({ failed, underWay, untouched }: Left, { done, goOn }: Words): string {
  const told = [
    underWay.length > 0 ? `Unknown, no response: ${listed(underWay)}.` : '',
    failed.length > 0 ? `Failed: ${listed(failed)}.` : '',
    untouched.length > 0 ? `Not ${done}: ${listed(untouched)}.` : '',
    `To continue, ${goOn}.`,
  ];
  return told.filter((sentence) => sentence !== '').join('\n');
}
