/** Calendars of windows, as another program reads them. */
import fc from 'fast-check';
import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { toCalendar } from '../../../commands/maintenance/shared/ical.ts';
import { occurrences, take } from '../../../src/calendar/occurrences.ts';
import type { MaintenanceWindow } from '../../../src/cli/resources/maintenance-state.ts';

const HOUR = 3_600_000;
const window: MaintenanceWindow = {
  id: 12,
  name: 'Database upgrade',
  startsAt: '2026-11-22T01:00:00.000Z',
  endsAt: '2026-11-22T03:00:00.000Z',
  created_at: '2026-11-01T08:00:00.000Z',
  updated_at: null,
};

/** The calendar's events, by the zones that it brings along: none is known besides. */
function read(text: string): ICAL.Event[] {
  ICAL.TimezoneService.reset();
  const calendar = new ICAL.Component(ICAL.parse(text) as unknown[]);
  for (const zone of calendar.getAllSubcomponents('vtimezone')) ICAL.TimezoneService.register(zone);
  return calendar.getAllSubcomponents('vevent').map((event) => new ICAL.Event(event));
}

/** When an event begins, in ms since the epoch. */
function starts(event: ICAL.Event, most: number): number[] {
  if (!event.isRecurring()) return [event.startDate.toJSDate().getTime()];
  const iterator = event.iterator();
  const found: number[] = [];
  while (found.length < most) {
    const next = iterator.next();
    if (!next) break;
    found.push(next.toJSDate().getTime());
  }
  return found;
}

describe('a calendar', () => {
  it('has an event for each window, which says what it is', async () => {
    const more = {
      ...window,
      id: 13,
      name: 'a; b, c\nEND:VEVENT',
      tags: ['shop', 'x,y'],
      description: 'é'.repeat(90),
    };
    const events = read(await toCalendar([window, more], 0));
    expect(events.map(({ uid, summary }) => [uid, summary])).toEqual([
      ['maintenance-window-12@sonde', 'Database upgrade'],
      ['maintenance-window-13@sonde', 'a; b, c\nEND:VEVENT'],
    ]);
    expect(events[1]?.description).toBe('é'.repeat(90));
    expect(events[1]?.component.getFirstProperty('categories')?.getValues()).toEqual(['shop', 'x,y']);
    const [event] = events;
    expect([event?.startDate, event?.endDate].map((date) => date?.toJSDate().toISOString())).toEqual([
      window.startsAt,
      window.endsAt,
    ]);
  });

  it('leaves out cancelled repetitions, and has moved ones at their new times', async () => {
    const hour = (day: number, hours: number) => `2026-11-${day}T0${hours}:00:00.000Z`;
    const exceptions = [
      { startsAt: hour(23, 1), movedTo: null },
      { startsAt: hour(24, 1), movedTo: { startsAt: hour(24, 5), endsAt: hour(24, 6) } },
    ];
    const repeated = { ...window, repeatUnit: 'DAY' as const, timezone: 'Europe/Berlin', exceptions };
    const text = await toCalendar([repeated], 0);
    const [event, moved] = read(text);
    if (event === undefined || moved === undefined) throw new Error('an event is missing');
    expect(starts(event, 3).map((start) => new Date(start).toISOString())).toEqual([
      ...[hour(22, 1), hour(24, 1), hour(25, 1)],
    ]);
    expect(moved.uid).toBe(event.uid);
    expect(moved.recurrenceId.toJSDate().toISOString()).toBe(hour(24, 1));
    expect([moved.startDate, moved.endDate].map((date) => date.toJSDate().toISOString())).toEqual([
      ...[hour(24, 5), hour(24, 6)],
    ]);
    const movedTo = { startsAt: hour(24, 5), endsAt: hour(24, 6) };
    const once = { ...window, exceptions: [{ startsAt: window.startsAt, movedTo }] };
    expect(await toCalendar([once], 0)).toContain('DTSTART:20261124T050000Z');
    const cancelled = { ...window, exceptions: [{ startsAt: window.startsAt, movedTo: null }] };
    expect(await toCalendar([cancelled], 0)).not.toContain('VEVENT');
  });

  it('brings along the zones by whose clock its windows repeat, each once', async () => {
    const repeats = { ...window, repeatUnit: 'DAY' as const };
    const zones = ['Europe/Berlin', 'Asia/Calcutta', 'Europe/Berlin', 'UTC', 'Mars/Olympus', 'Asia/Kolkata'];
    const text = await toCalendar(
      zones.map((timezone) => ({ ...repeats, timezone })),
      0,
    );
    expect(text.match(/TZID:.*/g)).toEqual(['TZID:Europe/Berlin', 'TZID:Asia/Kolkata']);
    expect(text.match(/DTSTART(?:;TZID=[^:]*)?:20261122T.*/g)).toEqual([
      'DTSTART;TZID=Europe/Berlin:20261122T020000',
      'DTSTART;TZID=Asia/Kolkata:20261122T063000',
      'DTSTART;TZID=Europe/Berlin:20261122T020000',
      'DTSTART:20261122T010000Z',
      'DTSTART:20261122T010000Z',
      'DTSTART;TZID=Asia/Kolkata:20261122T063000',
    ]);
    expect(await toCalendar([{ ...window, timezone: 'Europe/Berlin' }], 0)).not.toContain('VTIMEZONE');
  });

  it('leaves out what is never open', async () => {
    const backwards = { ...window, endsAt: window.startsAt };
    const ended = { ...window, repeatUnit: 'DAY' as const, repeatEndsAt: '2026-11-01T00:00:00Z' };
    expect(read(await toCalendar([backwards, ended], 0))).toEqual([]);
  });

  it('repeats when the window does, through years of changing clocks', async () => {
    const given = fc.record({
      timezone: fc.constantFrom(
        'Europe/Berlin',
        'America/New_York',
        'Australia/Lord_Howe',
        'Pacific/Apia',
        'UTC',
      ),
      day: fc.integer({ min: 0, max: 1500 }),
      // Beside the hours in which clocks are set: what programs make of those differs.
      hour: fc.integer({ min: 5, max: 22 }),
      repeatUnit: fc.constantFrom('DAY' as const, 'WEEK' as const, 'MONTH' as const),
      repeatInterval: fc.integer({ min: 1, max: 4 }),
      until: fc.option(fc.integer({ min: 0, max: 900 })),
    });
    await fc.assert(
      fc.asyncProperty(given, async ({ timezone, day, hour, repeatUnit, repeatInterval, until }) => {
        const offsets = {
          'Europe/Berlin': 1,
          'America/New_York': -5,
          'Australia/Lord_Howe': 11,
          'Pacific/Apia': 13,
          UTC: 0,
        };
        const start = Date.UTC(2026, 0, 1 + day, hour) - offsets[timezone] * HOUR;
        const repeating: MaintenanceWindow = {
          ...{ ...window, timezone, repeatUnit, repeatInterval },
          startsAt: new Date(start).toISOString(),
          endsAt: new Date(start + 2 * HOUR).toISOString(),
          repeatEndsAt: until === null ? null : new Date(start + until * 24 * HOUR).toISOString(),
        };
        // ical.js takes no BYSETPOS with days of the month; maintenance.test.ts has these rules.
        fc.pre(
          repeatUnit !== 'MONTH' || ![29, 30].includes(new Date(Date.UTC(2026, 0, 1 + day)).getUTCDate()),
        );
        const [event] = read(await toCalendar([repeating], 0));
        const expected = take(occurrences(repeating, start), 40).map(({ startsAt }) => startsAt);
        expect(event && starts(event, 40)).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });
});
