/** Durations as pages and e-mails write them. */
import { expect, it } from 'vitest';
import { formatRows } from '../../../../src/service/notify/alerts/alert-facts.ts';
import { formatDuration } from '../../../../src/service/notify/rendering/format-duration.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000] as const;

it.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [999.6, '1 s'],
  [5500, '5.5 s'],
  [9.96 * SECOND, '10 s'],
  [59.6 * SECOND, '1 min'],
  [89 * SECOND, '1 min 29 s'],
  [119.6 * SECOND, '2 min'],
  [HOUR - 300, '1 h'],
  [HOUR + 5 * MINUTE + 20 * SECOND, '1 h 5 min'],
  [DAY - SECOND, '1 d'],
  [DAY + 90 * MINUTE, '1 d 2 h'],
  [2 * DAY - 10 * MINUTE, '2 d'],
])('%d ms are %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

it('are the same in an alert', () => {
  const rows = formatRows({
    ...{
      kind: 'ALERT_RECOVERY',
      since: 0,
      at: 89 * SECOND,
      groupName: null,
      tags: [],
      run: null,
      link: null,
    },
    check: { id: 'c', name: 'c', type: 'DNS' },
  });
  expect(Object.fromEntries(rows).Duration).toBe('1 min 29 s');
});
