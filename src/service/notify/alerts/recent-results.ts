/** Formats the last results of a check as a line of bars. Pure. */
import { plural } from '../../../base/plural.ts';

export interface RecentResult {
  readonly verdict: 'passed' | 'degraded' | 'failed' | 'error';
  /** Milliseconds; null: not measured. */
  readonly responseTime: number | null;
}

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** Formats `▁▂▁█×?`, oldest first: the response time of each answer, × for a failure, ? for a monitor error. */
function formatBars(results: readonly RecentResult[]): string {
  const times = results.flatMap(({ responseTime, verdict }) =>
    responseTime === null || verdict === 'failed' || verdict === 'error' ? [] : [responseTime],
  );
  const [least, most] = [Math.min(...times), Math.max(...times)];
  return results
    .map(({ verdict, responseTime }) => {
      if (verdict === 'failed') return '×';
      if (verdict === 'error') return '?';
      const share = responseTime === null || most === least ? 0 : (responseTime - least) / (most - least);
      return BARS[Math.round(share * (BARS.length - 1))];
    })
    .join('');
}

const WORDS: Readonly<Record<RecentResult['verdict'], (count: number) => string>> = {
  passed: (count) => `${count} passed`,
  degraded: (count) => `${count} degraded`,
  failed: (count) => `${count} failed`,
  error: (count) => plural(count, 'monitor error'),
};

/** Formats `▁▂▁▁▃█××× (oldest first: 7 passed, 3 failed)`. */
export function formatRecent(results: readonly RecentResult[]): string {
  const counts = (Object.keys(WORDS) as RecentResult['verdict'][]).flatMap((verdict) => {
    const count = results.filter((result) => result.verdict === verdict).length;
    return count === 0 ? [] : [WORDS[verdict](count)];
  });
  return `${formatBars(results)} (oldest first: ${counts.join(', ')})`;
}
