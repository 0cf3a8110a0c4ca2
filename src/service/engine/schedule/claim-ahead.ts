/** When ticks are claimed: at their instant, or a little before it where the worker has room for what they start. */
import type { Clock } from '../../../base/clock.ts';
import type { EngineData } from '../../store/engine/index.ts';
import type { Upcoming } from '../../store/engine/schedule.ts';
import type { Reserved } from '../sessions/local-port.ts';
import type { Handing, Surroundings } from '../sessions/start.ts';
import { AT_ONCE, claimTicks, type Ticks } from './ticks.ts';

/**
 * A tick is claimed `leastMs` before its instant, and with it those that come within `mostMs`: one transaction serves them
 * all, and each starts on time whatever that transaction takes.
 */
export interface Ahead {
  readonly leastMs: number;
  readonly mostMs: number;
}

/**
 * A service that another one is ahead of claims a tick only if it is late by this, in ms. While it does, two services would each
 * claim a part of every batch; and it bounds how late checks start after the service that claims ahead has stopped.
 */
const FOLLOWING_MS = 250;

export const AT_THEIR_INSTANT: Ahead = { leastMs: 0, mostMs: 0 };

export interface TickClaimsOptions {
  readonly clock: Clock;
  readonly ahead: Ahead;
  /** The worker, where it waits for work and has places. */
  readonly reserve: (now: number) => Reserved | undefined;
  /** Whether other services may claim the same ticks. */
  readonly isShared: boolean;
  /** Runs a claim in a transaction. */
  readonly plan: (
    claim: (data: EngineData, surroundings: Surroundings) => Promise<Ticks>,
    handing: Handing | undefined,
  ) => Promise<Ticks>;
}

export interface TickClaims {
  /**
   * Claims ticks that are due, and those that come soon where nothing older waits for the worker: it has their attempts at
   * once, which saves it the claim. Undefined where there is nothing to claim yet.
   */
  claim(upcoming: Upcoming): Promise<Ticks | undefined>;
  /** Whether another service claimed the tick that this one was last up for: what was read before the sleep is out of date. */
  isOvertaken(): boolean;
  /** When this tick is to be claimed, in ms since the epoch. */
  instantOf(tick: number): number;
}

export function tickClaims({ clock, ahead, reserve, plan, isShared }: TickClaimsOptions): TickClaims {
  /** False where the worker had no room when it was last asked. */
  let hadRoom = true;
  /**
   * Another service claimed the tick that this one was up for. Until a tick is left to this one, it looks only after one is late:
   * services that all claim ahead would each pay for every tick.
   */
  let isOvertaken = false;
  const leadMs = () => (isOvertaken ? -FOLLOWING_MS : hadRoom ? ahead.leastMs : 0);
  return {
    async claim({ tick, due }) {
      const now = clock.now();
      if (tick === null || tick - (isOvertaken ? -FOLLOWING_MS : ahead.leastMs) > now) return undefined;
      const reserved = due === null ? reserve(now) : undefined;
      hadRoom = reserved !== undefined;
      if (!hadRoom && tick > now) return undefined;
      // What is due is claimed by the hundreds, and what comes soon with it; ahead of time alone, no more than there is room for.
      const most = tick <= now ? AT_ONCE : Math.min(reserved?.capacity ?? 0, AT_ONCE);
      const wanted = reserved === undefined ? {} : { until: now + ahead.mostMs, most };
      let isCommitted = false;
      try {
        const ticks = await plan((data, around) => claimTicks(data, around, wanted), reserved);
        isCommitted = true;
        isOvertaken = isShared && (ticks.first === null || ticks.first > tick);
        return ticks;
      } finally {
        reserved?.end(isCommitted);
      }
    },
    isOvertaken: () => isOvertaken,
    instantOf: (tick) => tick - leadMs(),
  };
}
