/** Returns when pings of a heartbeat are expected. */
import { nextCronTime } from '../../../base/cron.ts';
import type { HeartbeatSchedule } from '../../store/heartbeats.ts';
import type { HeartbeatTimes } from './state.ts';

export function timesOf({ periodMs, graceMs, cron, timezone }: HeartbeatSchedule): HeartbeatTimes {
  if (cron === null) return { periodMs, graceMs };
  return { periodMs, graceMs, nextTime: (after) => nextCronTime(cron, timezone ?? 'UTC', after) };
}
