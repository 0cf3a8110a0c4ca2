/** How hard a storm is on its own machine: how late the timers of this process come, from moment to moment. */
import { setTimeout as delay } from 'node:timers/promises';

const TICK_MS = 25;

export interface Strain {
  /** The latest that a timer came since then, in ms; `since` on `performance.now()`. */
  worstSince(since: number): number;
  /** Resolves once timers come nearly in time again, or after a while on a machine that stays slow. */
  untilCalm(): Promise<void>;
  stop(): void;
}

/** So late may timers come while more is taken on, in ms. */
const CALM_MS = 100;
/** How long to wait for that, in ms. */
const LONGEST_MS = 5000;

/** Watches until it is stopped. */
export function watchStrain(): Strain {
  const late: { readonly at: number; readonly ms: number }[] = [];
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const ms = now - last - TICK_MS;
    if (ms > TICK_MS) late.push({ at: now, ms });
    last = now;
  }, TICK_MS);
  const worstSince = (since: number): number => {
    // One that is not over yet counts, too.
    let worst = performance.now() - last - TICK_MS;
    for (let index = late.length - 1; index >= 0; index--) {
      const each = late[index];
      if (!each || each.at < since) break;
      worst = Math.max(worst, each.ms);
    }
    return worst;
  };
  return {
    worstSince,
    async untilCalm() {
      const until = performance.now() + LONGEST_MS;
      while (worstSince(performance.now() - 250) > CALM_MS && performance.now() < until) await delay(TICK_MS);
    },
    stop: () => clearInterval(timer),
  };
}
