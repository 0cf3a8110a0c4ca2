/** Returns when pings of a heartbeat are expected. */
import type { HeartbeatSchedule } from '../../store/heartbeats.ts';
import type { HeartbeatTimes } from './state.ts';

export function timesOf({ periodMs, graceMs }: HeartbeatSchedule): HeartbeatTimes {
  return { periodMs, graceMs };
}
