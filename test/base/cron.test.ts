/** Cron expressions: their times, also where the clock is set, and what is wrong with others. */
import { describe, expect, it } from 'vitest';
import { cronProblem, nextCronTime, nextCronTimes, timezoneProblem } from '../../src/base/cron.ts';

const times = (cron: string, zone: string, after: string, count: number) =>
  nextCronTimes(cron, zone, Date.parse(after), count).map((time) =>
    new Date(time).toISOString().replace(':00.000Z', 'Z'),
  );

describe('the times of a cron expression', () => {
  it.each([
    ['30 2 * * *', 'UTC', '2026-11-28T02:30:00Z', ['2026-11-29T02:30Z', '2026-11-30T02:30Z']],
    ['0 9 * * MON-FRI', 'Asia/Tokyo', '2026-11-27T12:00:00Z', ['2026-11-30T00:00Z', '2026-12-01T00:00Z']],
    ['0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
    ['@daily', 'UTC', '2026-11-28T00:00:00Z', ['2026-11-29T00:00Z', '2026-11-30T00:00Z']],
    // Day of month or day of week, as in crontab(5).
    ['0 0 13 * FRI', 'UTC', '2026-11-28T00:00:00Z', ['2026-12-04T00:00Z', '2026-12-11T00:00Z']],
  ])('%s in %s after %s are %o', (cron, zone, after, expected) => {
    expect(times(cron, zone, after, 2)).toEqual(expected);
  });
});

describe('where the clock is set forward', () => {
  it('a fixed time in the gap is its end, on the same day', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
    ]);
    expect(times('15 2,14 * * *', 'America/New_York', '2026-03-08T05:00:00Z', 2)).toEqual([
      '2026-03-08T07:00Z',
      '2026-03-08T18:15Z',
    ]);
    // At midnight, and by half an hour.
    expect(times('0 0 * * *', 'America/Sao_Paulo', '2018-11-03T12:00:00Z', 1)).toEqual(['2018-11-04T03:00Z']);
    expect(times('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00:00Z', 1)).toEqual([
      '2026-10-03T15:30Z',
    ]);
  });

  it('a repeated time skips the gap', () => {
    expect(times('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:15:00Z', 3)).toEqual([
      '2026-03-29T00:30Z',
      '2026-03-29T01:00Z',
      '2026-03-29T01:30Z',
    ]);
  });
});

describe('where the clock is set back', () => {
  it('a fixed time that comes twice counts once', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ]);
    // Also if the second one is next.
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-10-25T00:45:00Z', 1)).toEqual(['2026-10-26T01:30Z']);
  });

  it('a repeated time comes in both hours', () => {
    expect(times('*/30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 5)).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T00:30Z',
      '2026-10-25T01:00Z',
      '2026-10-25T01:30Z',
      '2026-10-26T01:00Z',
    ]);
  });
});

describe('a schedule that is wrong', () => {
  it.each([
    ['', 'five fields'],
    ['0 2 * *', 'five fields'],
    ['0 0 2 * * *', 'five fields'],
    ['2026-01-01T00:00:00', 'five fields'],
    ['61 * * * *', 'Invalid value for minute: 61'],
    ['0 2 31 2 *', 'must occur on some date'],
    ['@reboot', 'not supported'],
    ['@dialy', 'is not a cron expression: '],
  ])('%j: %s', (cron, message) => {
    expect(cronProblem(cron)).toContain(message);
    expect(cronProblem(cron)).toContain('such as "30 2 * * *"');
  });

  it('is not one of these', () => {
    for (const cron of ['* * * * *', '@hourly', '0 9 * * mon-fri', '0 0 L * *', ' 5 4 * * 7 '])
      expect(cronProblem(cron)).toBeUndefined();
    expect(timezoneProblem('Europe/Berlin')).toBeUndefined();
    expect(timezoneProblem('Europe/Berln')).toBe('must be an IANA time zone: did you mean Europe/Berlin?');
    expect(timezoneProblem('UTCC')).toBe('must be an IANA time zone: did you mean UTC?');
    expect(timezoneProblem('Nowhere')).toBe('must be an IANA time zone, such as Europe/Berlin or UTC');
    expect(nextCronTime('0 2 31 2 *', 'UTC', 0)).toBeGreaterThan(Date.parse('9999-01-01'));
  });
});
