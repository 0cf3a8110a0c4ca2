/** How a check stands, and how often it runs, in words. */
import type { getCheck, ResponseOf } from '../../../src/contract/index.ts';
import { duration } from '../../../src/terminal/index.ts';

export type Check = ResponseOf<typeof getCheck>;

/** What a DNS check has besides what all have; nothing of it is trusted. */
interface Scheduled {
  readonly frequencyOffset?: unknown;
}

/** `10m`; of a check that runs every few seconds, `20s`. */
export function everyText(check: Check): string {
  const { frequency } = check;
  if (frequency === undefined) return '';
  if (frequency > 0) return duration(frequency * 60_000);
  const { frequencyOffset: seconds } = check as Scheduled;
  return typeof seconds === 'number' ? duration(seconds * 1000) : '';
}

/** How it stands, in a word: what rests is not judged. */
export const standingText = ({ activated, status }: Check): string =>
  activated === false ? 'paused' : (status ?? 'new');
