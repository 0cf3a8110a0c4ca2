/** `sonde maintenance`: windows as tables, in detail and as a calendar. */
import { describe, expect, it } from 'vitest';
import { command as get } from '../../../commands/maintenance/get.ts';
import { command as list } from '../../../commands/maintenance/list.ts';
import { createManualClock } from '../../support/clock.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { serve } from '../../support/http.ts';

const clock = createManualClock(Date.parse('2026-11-21T08:00:00Z'));
const window = {
  id: 12,
  name: 'Database upgrade',
  startsAt: '2026-11-22T01:00:00.000Z',
  endsAt: '2026-11-22T03:00:00.000Z',
  created_at: '2026-11-01T08:00:00.000Z',
  updated_at: null,
  tags: ['shop', 'api'],
  repeatInterval: 2,
  repeatUnit: 'WEEK',
  repeatEndsAt: null,
  pauseAllChecks: false,
  silenceAllAlerts: true,
};

describe('maintenance list', () => {
  it('filters by dates as the API wants them, and prints a row a window', async () => {
    const server = await serve({ body: [window] });
    const { code, stdout, stderr } = await runLine(
      list,
      ['--starts-at', 'gte=2026-11-21', '--ends-at', 'lt=2026-12-01', '--limit', '5'],
      { env: serviceAt(server.url), clock },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(server.requests[0]?.url).toBe(
      '/v1/maintenance-windows?limit=5&startsAt[gte]=2026-11-21&endsAt[lt]=2026-12-01',
    );
    expect(stdout).toBe(
      '12\tDatabase upgrade\t2026-11-22T01:00:00.000Z\t2026-11-22T03:00:00.000Z\tevery 2 weeks\tshop,api\tall alerts\tupcoming\n',
    );
  });

  it('refuses a filter that is none before anything is sent', async () => {
    const { code, stderr } = await runLine(list, ['--starts-at', 'soon', '--ends-at', 'gte=tomorrow']);
    expect(code).toBe(2);
    expect(stderr).toContain('--starts-at must be name=value');
    expect(stderr).toContain('gte must be a date (2026-11-21)');
  });

  it('gathers every page from the first that is not full', async () => {
    const full = Array.from({ length: 100 }, (_, index) => ({ ...window, id: index }));
    const server = await serve({ body: full }, { body: [window] });
    const { stdout } = await runLine(list, ['--all', '--json'], { env: serviceAt(server.url) });
    expect(JSON.parse(stdout)).toHaveLength(101);
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/v1/maintenance-windows?limit=100',
      '/v1/maintenance-windows?limit=100&page=2',
    ]);
  });
});

describe('maintenance get', () => {
  it('shows a window, one field a line', async () => {
    const server = await serve({ body: window });
    const { code, stdout } = await runLine(get, ['12'], { env: serviceAt(server.url) });
    expect(code).toBe(0);
    expect(server.requests[0]?.url).toBe('/v1/maintenance-windows/12');
    expect(stdout).toContain('name\tDatabase upgrade\n');
    expect(stdout).toContain('startsAt\t2026-11-22T01:00:00.000Z\n');
  });

  it('exits 5 for an unknown number, and for an unknown name', async () => {
    const server = await serve({ status: 404, body: { message: 'There is no such window' } }, { body: [] });
    const env = serviceAt(server.url);
    expect(await runLine(get, ['12'], { env })).toMatchObject({ code: 5, stdout: '' });
    expect(await runLine(get, ['twelve'], { env })).toMatchObject({
      ...{ code: 5, stdout: '' },
      stderr: expect.stringContaining('maintenance window "twelve" not found'),
    });
  });
});

describe('-o ical', () => {
  const lines = async (...windows: readonly object[]) => {
    const server = await serve({ body: windows });
    const { stdout } = await runLine(list, ['-o', 'ical'], { env: serviceAt(server.url) });
    expect(stdout.endsWith('END:VCALENDAR\r\n')).toBe(true);
    return stdout.replaceAll('\r\n ', '').split('\r\n');
  };

  it('writes an event a window, with its repetition', async () => {
    const found = await lines({ ...window, repeatEndsAt: '2027-01-01' });
    expect(found).toContain('DTSTART:20261122T010000Z');
    expect(found).toContain('DTEND:20261122T030000Z');
    expect(found).toContain('RRULE:FREQ=WEEKLY;INTERVAL=2;UNTIL=20270101T000000Z');
    expect(found).toContain('SUMMARY:Database upgrade');
    expect(found).toContain('CATEGORIES:shop,api');
  });

  it("keeps the clock of the window's own time zone where it repeats", async () => {
    const found = await lines({ ...window, timezone: 'Europe/Berlin', repeatInterval: 1 });
    expect(found).toContain('DTSTART;TZID=Europe/Berlin:20261122T020000');
    expect(found).toContain('RRULE:FREQ=WEEKLY');
  });

  it.each([
    [28, 'FREQ=MONTHLY'],
    [29, 'FREQ=MONTHLY;BYMONTHDAY=28,29;BYSETPOS=-1'],
    [30, 'FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1'],
    [31, 'FREQ=MONTHLY;BYMONTHDAY=-1'],
  ])('of the %dth falls on the last day of months that are too short', async (day, rule) => {
    const monthly = {
      startsAt: `2026-10-${day}T01:00:00Z`,
      endsAt: `2026-10-${day}T02:00:00Z`,
      repeatInterval: 1,
    };
    const found = await lines({ ...window, ...monthly, repeatUnit: 'MONTH' });
    expect(found).toContain(`RRULE:${rule}`);
  });

  it('escapes and folds text, so that no name can add a line', async () => {
    const name = `${'é'.repeat(60)}; a, b\nEND:VEVENT`;
    const server = await serve({ body: [{ ...window, name }] });
    const { stdout } = await runLine(list, ['-o', 'ical'], { env: serviceAt(server.url) });
    for (const line of stdout.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    expect(stdout.replaceAll('\r\n ', '')).toContain(`SUMMARY:${'é'.repeat(60)}\\; a\\, b\\nEND:VEVENT\r\n`);
  });
});
