/** Limits how long one computation holds the event loop before others get a turn. */
import { type Clock, nextTick } from './clock.ts';

/** Longest time between two turns of the event loop, in ms. One step more may follow. */
const MAX_TURN_MS = 15;

/** Await it between the steps of long work. It returns a promise of the next turn if the present one has taken too long. */
export type TurnLimit = () => Promise<void> | undefined;

/** Creates the limit of a process. All work that shares it also shares the time of a turn. */
export function createTurnLimit({ monotonic }: Pick<Clock, 'monotonic'>): TurnLimit {
  let endsAt: number | undefined;
  return () => {
    const now = monotonic();
    if (endsAt !== undefined) return now < endsAt ? undefined : nextTick();
    endsAt = now + MAX_TURN_MS;
    setImmediate(() => {
      endsAt = undefined;
    });
    return undefined;
  };
}
