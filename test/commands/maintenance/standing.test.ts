/** How windows stand now: what is active, what comes next, what is over. */
import { describe, expect, it } from 'vitest';
import { command as get } from '../../../commands/maintenance/get.ts';
import { command as list } from '../../../commands/maintenance/list.ts';
import { createManualClock } from '../../support/clock.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { serve } from '../../support/http.ts';

const clock = createManualClock(Date.parse('2026-11-21T08:00:00Z'));

const window = (id: number, startsAt: string, endsAt: string, more: object = {}) => ({
  ...{ id, name: `Window ${id}`, startsAt, endsAt, created_at: '2026-01-01T00:00:00Z', updated_at: null },
  ...{ tags: [], repeatUnit: null, ...more },
});

const over = window(1, '2026-11-01T01:00:00Z', '2026-11-01T03:00:00Z');
const longOver = window(2, '2026-10-01T01:00:00Z', '2026-10-01T03:00:00Z');
const soon = window(3, '2026-11-21T20:00:00Z', '2026-11-21T21:00:00Z');
const asSoon = window(4, '2026-11-20T20:00:00Z', '2026-11-20T20:30:00Z', { repeatUnit: 'DAY' });
const later = window(5, '2026-12-24T01:00:00Z', '2026-12-24T03:00:00Z');
const now = window(6, '2026-11-21T07:00:00Z', '2026-11-21T09:00:00Z');
// Began in summer: by its zone's clock it is 09:00 to 10:30, which is 08:00 to 09:30 UTC in winter.
const nowAgain = window(7, '2026-06-01T07:00:00Z', '2026-06-01T08:30:00Z', {
  repeatUnit: 'DAY',
  timezone: 'Europe/Berlin',
});
const all = [over, longOver, later, soon, asSoon, nowAgain, now];

const person = { clock, isTTY: true, columns: 140 } as const;
const plainAt = (url: string) => ({ ...serviceAt(url), NO_COLOR: '1' });
/** The state and the name of each row. */
const rowsOf = (stdout: string): string[] =>
  stdout
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((row) => /Window (\d) +(\w+)/.exec(row)?.slice(1).join(' ') ?? row);

describe('maintenance list for a person', () => {
  it('begins with what is active, goes on with what comes next, and ends with what is over', async () => {
    const server = await serve({ body: all });
    const { stdout } = await runLine(list, [], { ...person, env: plainAt(server.url) });
    expect(rowsOf(stdout)).toEqual([
      '6 active',
      '7 active',
      '3 next',
      '4 next',
      '5 upcoming',
      '1 over',
      '2 over',
    ]);
    expect(stdout).toMatch(/Window 7 +active +now +in 1h +every day/);
  });

  it.each([
    [['--limit', '7'], 'there may be more of them'],
    [['--ends-at', 'gte=2026-11-20'], 'they are only some'],
    [['--page', '2'], 'others came before'],
  ])('calls none the next with %j, as %s', async (argv) => {
    const server = await serve({ body: all });
    const { stdout } = await runLine(list, argv, { ...person, env: plainAt(server.url) });
    expect(stdout).toContain('upcoming');
    expect(stdout).not.toContain('next');
  });

  it('shows the fields that are asked for as the API has them', async () => {
    const server = await serve({ body: [nowAgain] });
    const line = ['--fields', 'startsAt,state', '-o', 'table'];
    const { stdout } = await runLine(list, line, { ...person, env: plainAt(server.url) });
    expect(stdout).toBe('STARTS   STATE\n5mo ago  active\n');
  });
});

describe('maintenance list --active and --upcoming', () => {
  const pages = () => {
    const others = Array.from({ length: 98 }, (_, index) => ({ ...over, id: 100 + index }));
    return [{ body: [now, ...others, soon] }, { body: [nowAgain, later] }] as const;
  };

  it.each([
    [['--active'], [6, 7]],
    [['--upcoming'], [3, 5]],
    [
      ['--active', '--upcoming'],
      [6, 3, 7, 5],
    ],
  ])('look through all pages: %j', async (argv, ids) => {
    const server = await serve(...pages());
    const { stdout } = await runLine(list, [...argv, '--jq', '.[].id'], {
      clock,
      env: serviceAt(server.url),
    });
    expect(stdout).toBe(ids.map((id) => `${id}\n`).join(''));
    expect(server.requests[1]?.url).toContain('page=2');
  });

  it.each([
    ['--json', (text: string) => (JSON.parse(text) as unknown[]).length],
    ['-o=jsonl', (text: string) => text.trimEnd().split('\n').length],
    ['-o=tsv', (text: string) => text.match(/\tactive\n/g)?.length],
    ['-o=csv', (text: string) => text.match(/,active\r\n/g)?.length],
    ['-o=yaml', (text: string) => text.match(/^- id/gm)?.length],
    ['-o=ical', (text: string) => text.match(/BEGIN:VEVENT/g)?.length],
  ])('hold in every form: %s', async (form, count) => {
    const server = await serve(...pages());
    const { stdout } = await runLine(list, ['--active', ...form.split('=')], {
      clock,
      env: serviceAt(server.url),
    });
    expect(count(stdout)).toBe(2);
  });

  it('name the next, since they have seen all', async () => {
    const server = await serve(...pages());
    const { stdout } = await runLine(list, ['--upcoming'], { ...person, env: plainAt(server.url) });
    expect(rowsOf(stdout)).toEqual(['3 next', '5 upcoming']);
  });

  it('say so where there is none, which is no error', async () => {
    const server = await serve({ body: [over] });
    const ran = await runLine(list, ['--active'], { clock, env: serviceAt(server.url) });
    expect(ran).toEqual({ code: 0, stdout: '', stderr: 'No maintenance window is active.\n' });
  });

  it('do not say so where the service did not give all', async () => {
    const full = { body: Array.from({ length: 100 }, () => over) };
    const server = await serve(full, full);
    const { stderr } = await runLine(list, ['--active'], { clock, env: serviceAt(server.url) });
    expect(stderr).toContain('the service repeats a page after 2 pages');
    expect(stderr).not.toContain('No maintenance window');
  });

  it('cannot begin at a later page', async () => {
    const ran = await runLine(list, ['--upcoming', '--page', '2'], {
      clock,
      env: serviceAt('http://127.0.0.1:1'),
    });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('--upcoming reads all pages and cannot be combined with --page');
  });
});

describe('maintenance get for a person', () => {
  const card = async (shown: object, ...argv: readonly string[]) => {
    const server = await serve({ body: shown });
    const { stdout } = await runLine(get, ['7', ...argv], { ...person, env: plainAt(server.url) });
    return stdout;
  };

  it('tells how it stands, and the next five times by its own clock and by that of the reader', async () => {
    const text = await card(nowAgain, '--utc');
    expect(text).toContain('active  Window 7');
    expect(text).toContain('active, ends in 1h');
    const times = text.split('\n').filter((line) => /^\w{3} 2026-/.test(line));
    expect(times).toHaveLength(5);
    expect(times[0]).toMatch(/^Sat 2026-11-21 09:00 to 10:30 +Sat 2026-11-21 08:00 to 09:30 +now +1h 30m$/);
    expect(text).toMatch(/IN EUROPE\/BERLIN +FOR YOU, IN UTC/);
  });

  it('has one clock where both show the same', async () => {
    expect(await card(soon, '--utc')).not.toContain('FOR YOU');
  });

  it('tells what it pauses and silences, and where it shows', async () => {
    const visibility = {
      enabled: true,
      serviceIds: ['pay'],
      statusPageIds: ['p1', 'p2'],
      notifyOnStart: true,
      reminderMinutesBefore: [90],
    };
    const text = await card({
      ...soon,
      pauseAllChecks: true,
      silenceAlertsTags: ['tls'],
      statusPageVisibility: visibility,
    });
    for (const line of [
      /Pauses +all checks/,
      /Silences +tls/,
      /Shown on +p1, p2/,
      /Affects +pay/,
      /Notifies subscribers +at the start, 1h 30m before/,
    ])
      expect(text).toMatch(line);
  });

  it('tells when it was, where it is over, and over which days it goes', async () => {
    const text = await card({ ...over, endsAt: '2026-11-02T03:00:00Z' }, '--utc');
    expect(text).toMatch(/State +over, ended 19d ago/);
    expect(text).toContain('Sun 2026-11-01 01:00 to Mon 03:00');
    expect(await card({ ...over, endsAt: '2026-11-12T03:00:00Z' }, '--utc')).toContain(
      'Sun 2026-11-01 01:00 to Thu 2026-11-12 03:00',
    );
  });

  it('says that it takes an unknown zone for UTC', async () => {
    expect(await card({ ...soon, timezone: 'Mars/Olympus' })).toContain(
      'Mars/Olympus, which is unknown: using UTC',
    );
  });
});
