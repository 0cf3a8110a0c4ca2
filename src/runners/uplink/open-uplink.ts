/** Opens the uplink of a process, which logs its outages. */
import type { Clock } from '../../base/clock.ts';
import type { Canary } from './canary.ts';
import { probeCanary, type Reach } from './probe-canary.ts';
import { createUplink, type Uplink } from './uplink.ts';

interface UplinkSettings {
  readonly canaries: readonly Canary[];
  readonly clock: Clock;
  readonly reach: Reach;
  readonly log: { warn(message: string): void };
}

/** Returns undefined without canaries: every network error is then a failure of the target. */
export const openUplink = ({ canaries, clock, reach, log }: UplinkSettings): Uplink | undefined =>
  canaries.length === 0
    ? undefined
    : createUplink({
        canaries,
        clock,
        probe: (canary, signal) => probeCanary(canary, clock, reach, signal),
        // The default level of a log hides information, and the end belongs to its start.
        onChange: (_, message) => log.warn(message),
      });
