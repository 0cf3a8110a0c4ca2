/** Decides when ticks are claimed: when they are due, or shortly before if the worker has capacity. */
import type { Clock } from '../../../base/clock.ts';
import type { EngineData } from '../../store/engine/index.ts';
import type { Upcoming } from '../../store/engine/schedule.ts';
import type { Reservation } from '../sessions/local-port.ts';
import type { DirectLease, PlanContext } from '../sessions/start-sessions.ts';
import { type ClaimedTicks, claimTicks, MAX_TICKS } from './claim-ticks.ts';

/**
 * A tick is claimed `minMs` before it is due, together with all that are due within `maxMs`. One transaction serves
 * them all, and each still starts on time.
 */
export interface ClaimAhead {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * A service that follows another claims only ticks that are late by this, in ms. Otherwise both would claim a part of
 * every batch. It also bounds the delay of checks after the leading service has stopped.
 */
const FOLLOWER_DELAY_MS = 250;

export const NO_CLAIM_AHEAD: ClaimAhead = { minMs: 0, maxMs: 0 };

export interface TickClaimerOptions {
  readonly clock: Clock;
  readonly claimAhead: ClaimAhead;
  /** Reserves the built-in worker if it is idle and has capacity. */
  readonly reserve: (now: number) => Reservation | undefined;
  /** Whether other services may claim the same ticks. */
  readonly isShared: boolean;
  /** Runs a claim in a transaction. */
  readonly plan: (
    claim: (data: EngineData, surroundings: PlanContext) => Promise<ClaimedTicks>,
    handing: DirectLease | undefined,
  ) => Promise<ClaimedTicks>;
}

export interface TickClaimer {
  /**
   * Claims due ticks, and upcoming ones if no older attempt is waiting. The worker then leases their attempts
   * directly. Returns undefined if nothing can be claimed yet.
   */
  claim(upcoming: Upcoming): Promise<ClaimedTicks | undefined>;
  /** Returns whether another service claimed this one's last tick, so that its last reading is stale. */
  isOvertaken(): boolean;
  /** Returns when a tick is to be claimed, in ms since the epoch. */
  claimTime(tick: number): number;
}

export function createTickClaimer({
  clock,
  claimAhead,
  reserve,
  plan,
  isShared,
}: TickClaimerOptions): TickClaimer {
  /** False if the worker had no capacity at the last claim. */
  let hadCapacity = true;
  /**
   * True if another service claimed this one's last tick. This service then follows: it looks only after a tick is
   * late, because services that all claim ahead would each pay for every tick.
   */
  let isOvertaken = false;
  const leadMs = () => (isOvertaken ? -FOLLOWER_DELAY_MS : hadCapacity ? claimAhead.minMs : 0);
  return {
    async claim({ tick, due }) {
      const now = clock.now();
      if (tick === null || tick - (isOvertaken ? -FOLLOWER_DELAY_MS : claimAhead.minMs) > now)
        return undefined;
      const reservation = due === null ? reserve(now) : undefined;
      hadCapacity = reservation !== undefined;
      if (!hadCapacity && tick > now) return undefined;
      // Due ticks are claimed in full batches, with upcoming ones. Upcoming ticks alone are limited to the capacity.
      const limit = tick <= now ? MAX_TICKS : Math.min(reservation?.capacity ?? 0, MAX_TICKS);
      const selection = reservation === undefined ? {} : { until: now + claimAhead.maxMs, limit };
      let isCommitted = false;
      try {
        const ticks = await plan((data, context) => claimTicks(data, context, selection), reservation);
        isCommitted = true;
        isOvertaken = isShared && (ticks.first === null || ticks.first > tick);
        return ticks;
      } finally {
        reservation?.end(isCommitted);
      }
    },
    isOvertaken: () => isOvertaken,
    claimTime: (tick) => tick - leadMs(),
  };
}
