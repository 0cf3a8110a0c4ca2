/** What wakes agents that wait: work in the pool of their location, and runs that are to be stopped. */
import type { Clock } from '../../../base/clock.ts';
import { type Bell, bell, whenAborted } from '../../../base/wake-signal.ts';

/** A wait that began before the store was looked at: what happens in between is not missed. */
export interface Woken {
  /** Resolves when it is rung, after so many ms at the latest, or once the signal aborts. */
  within(ms: number, signal: AbortSignal): Promise<void>;
  /** To be called in the end, whether it was waited for or not. */
  forget(): void;
}

export interface AgentBellsOptions {
  readonly clock: Clock;
  /** Where other processes write, too, whose bells are not heard here: who waits looks again so often, in ms. */
  readonly lookAgainMs: number | undefined;
}

export function agentBells({ clock, lookAgainMs = Number.POSITIVE_INFINITY }: AgentBellsOptions) {
  /** Of the pools in which an agent waits. */
  const pools = new Map<string, { readonly bell: Bell; waiting: number }>();
  const stopping = bell();

  function waitFor(rung: Promise<void>, forget: () => void): Woken {
    return {
      forget,
      async within(ms, signal) {
        const aborted = whenAborted(signal);
        let callOff = () => {};
        const late = new Promise<void>((resolve) => {
          callOff = clock.timer(Math.max(0, Math.min(ms, lookAgainMs)), resolve);
        });
        await Promise.race([rung, late, aborted.aborted]);
        aborted.forget();
        callOff();
      },
    };
  }

  return {
    work(pool: string): Woken {
      const own = pools.get(pool) ?? { bell: bell(), waiting: 0 };
      pools.set(pool, own);
      own.waiting += 1;
      return waitFor(own.bell.next(), () => {
        own.waiting -= 1;
        if (own.waiting === 0 && pools.get(pool) === own) pools.delete(pool);
      });
    },
    stops: (): Woken => waitFor(stopping.next(), () => {}),
    /** There is, or will be, something to claim in these pools. */
    ringWork(rung: Iterable<string>): void {
      for (const pool of rung) pools.get(pool)?.bell.ring();
    },
    /** Runs that are under way are to be stopped. */
    ringStops: (): void => stopping.ring(),
  };
}
