/** Formats the status and the interval of a check. */

import { formatDuration } from '../../base/format-duration.ts';
import type { TimeUnit } from '../../contract/enumerations.ts';
import type { getCheck, ResponseOf } from '../../contract/index.ts';
import { secondsOf } from '../../contract/rules.ts';

export type Check = ResponseOf<typeof getCheck>;

/** A field that only some check types have; unvalidated. */
interface OffsetFields {
  readonly frequencyOffset?: unknown;
}

/** Fields that only heartbeat checks have. */
interface HeartbeatFields {
  readonly heartbeat?: {
    readonly period?: number;
    readonly periodUnit?: TimeUnit;
    readonly cron?: string | null;
  };
}

/** Formats the interval: `10m`, `20s`. For a heartbeat check, it is the expected interval between pings, or its cron expression. */
export function formatInterval(check: Check): string {
  const { frequency } = check;
  if (frequency === undefined) {
    const { period, periodUnit, cron } = (check as HeartbeatFields).heartbeat ?? {};
    if (cron) return cron;
    const seconds = period === undefined || !periodUnit ? Number.NaN : secondsOf(period, periodUnit);
    return Number.isFinite(seconds) ? formatDuration(seconds * 1000) : '';
  }
  if (frequency > 0) return formatDuration(frequency * 60_000);
  const { frequencyOffset: seconds } = check as OffsetFields;
  return typeof seconds === 'number' ? formatDuration(seconds * 1000) : '';
}

/** Returns the status as one word. A paused check has no verdict. */
export const formatCheckStatus = ({ activated, status }: Check): string =>
  activated === false ? 'paused' : (status ?? 'new');
