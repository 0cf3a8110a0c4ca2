/** How a check stands, and how often it runs, in words. */
import type { TimeUnit } from '../../contract/enumerations.ts';
import type { getCheck, ResponseOf } from '../../contract/index.ts';
import { secondsOf } from '../../contract/rules.ts';
import { formatDuration } from '../../terminal/index.ts';

export type Check = ResponseOf<typeof getCheck>;

/** What a DNS check has besides what all have; nothing of it is trusted. */
interface Scheduled {
  readonly frequencyOffset?: unknown;
}

/** What a heartbeat has besides. */
interface Pinged {
  readonly heartbeat?: { readonly period?: number; readonly periodUnit?: TimeUnit };
}

/** `10m`; of a check that runs every few seconds, `20s`; of a heartbeat, how often a ping is expected. */
export function everyText(check: Check): string {
  const { frequency } = check;
  if (frequency === undefined) {
    const { period, periodUnit } = (check as Pinged).heartbeat ?? {};
    const seconds = period === undefined || !periodUnit ? Number.NaN : secondsOf(period, periodUnit);
    return Number.isFinite(seconds) ? formatDuration(seconds * 1000) : '';
  }
  if (frequency > 0) return formatDuration(frequency * 60_000);
  const { frequencyOffset: seconds } = check as Scheduled;
  return typeof seconds === 'number' ? formatDuration(seconds * 1000) : '';
}

/** How it stands, in a word: what rests is not judged. */
export const standingText = ({ activated, status }: Check): string =>
  activated === false ? 'paused' : (status ?? 'new');
