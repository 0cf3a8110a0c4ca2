/** Durations for people. */
import { describe, expect, it } from 'vitest';
import { formatDuration, formatLongDuration } from '../../src/base/format-duration.ts';
import { formatRows } from '../../src/service/notify/facts/alert-facts.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000] as const;

describe('durations', () => {
  it.each([
    [0, '0 ms'],
    [0.0004, '0 ms'],
    [0.0361, '0.036 ms'],
    [0.36, '0.4 ms'],
    [12.34, '12.3 ms'],
    [99.99, '100 ms'],
    [999.4, '999 ms'],
    [999.6, '1 s'],
    [5500, '5.5 s'],
    [59.6 * SECOND, '59.6 s'],
    [59.96 * SECOND, '1 min'],
    [89 * SECOND, '1 min 29 s'],
    [119.6 * SECOND, '2 min'],
    [HOUR - 300, '1 h'],
    [HOUR + 5 * MINUTE + 20 * SECOND, '1 h 5 min'],
    [DAY - SECOND, '1 d'],
    [DAY + 90 * MINUTE, '1 d 2 h'],
    [2 * DAY - 10 * MINUTE, '2 d'],
    [-1500, '-1.5 s'],
  ])('of %d ms are %s, and the same in the terminal', (ms, text) => {
    expect(formatLongDuration(ms)).toBe(text);
    expect(formatDuration(ms)).toBe(text.replaceAll(/(\d) (ms|s|h|d|m)/g, '$1$2').replaceAll('min', 'm'));
  });

  it('are the same in an alert', () => {
    const rows = formatRows({
      kind: 'ALERT_RECOVERY',
      since: 0,
      at: 89 * SECOND,
      groupName: null,
      tags: [],
      run: {
        ...{ sessionId: 's', resultId: 'r', location: 'eu-west-1', error: '', startedAt: 0 },
        responseTime: 4230.6,
      },
      link: null,
      check: { id: 'c', name: 'c', type: 'DNS' },
    });
    expect(Object.fromEntries(rows)).toMatchObject({ Duration: '1 min 29 s', 'Response time': '4.2 s' });
  });
});
