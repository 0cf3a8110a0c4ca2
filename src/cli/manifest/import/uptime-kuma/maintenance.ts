/** Converts the maintenance of Uptime Kuma to maintenance windows. */
import type { JsonObject } from '../../../../base/object.ts';
import { instantAt, isZone, wallTimeAt, type Zone, zoneOf } from '../../../../calendar/zone.ts';
import type { Conversion, ReportLoss } from '../conversion.ts';
import { flagOf, jsonOf, type KumaTables, numberOf, type Row, textOf } from './tables.ts';

/** The names of what windows refer to, by ID. */
export interface MaintenanceNames {
  /** Checks and groups. */
  readonly monitors: ReadonlyMap<unknown, string>;
  readonly pages: ReadonlyMap<unknown, string>;
}

/** One window, without the resources that it concerns. */
interface Period {
  /** Distinguishes several windows of one maintenance: `Monday`. */
  readonly label?: string;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly repeat?: { readonly interval: number; readonly unit: 'DAY' | 'WEEK' | 'MONTH' };
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MAX_NAME = 200;

/** Adds the windows. `now`: ms since the epoch; a window that is over is left out. */
export function addWindows(
  tables: KumaTables,
  names: MaintenanceNames,
  conversion: Conversion,
  now: number,
): void {
  const serverZone = tables.setting.find((row) => row.key === 'serverTimezone');
  for (const row of tables.maintenance) {
    const title = textOf(row, 'title').trim() || 'Maintenance';
    const report = conversion.lossesOf('maintenance', title);
    if (!flagOf(row, 'active', true)) {
      report('skipped', undefined, 'it is not active');
      continue;
    }
    const written = [textOf(row, 'timezone'), String(serverZone && jsonOf(serverZone, 'value'))].find(isZone);
    const timezone = written ?? 'UTC';
    const fields = fieldsOf(row, timezone, tables, names);
    for (const { label, startsAt, endsAt, repeat } of periodsOf(row, zoneOf(timezone), now, report)) {
      const name = label === undefined ? title : `${title} (${label})`;
      conversion.add('maintenanceWindows', {
        name: conversion.uniqueName('maintenanceWindows', name.slice(0, MAX_NAME)),
        startsAt: new Date(startsAt).toISOString(),
        endsAt: new Date(endsAt).toISOString(),
        repeatUnit: repeat?.unit ?? null,
        ...(repeat === undefined ? {} : { repeatInterval: repeat.interval, ...repeatEndOf(row, timezone) }),
        ...fields,
      });
    }
  }
}

function fieldsOf(
  row: Row,
  timezone: string,
  tables: KumaTables,
  { monitors, pages }: MaintenanceNames,
): JsonObject {
  const named = (
    links: readonly Row[],
    column: string,
    names: ReadonlyMap<unknown, string>,
  ): readonly string[] =>
    links
      .filter((link) => link.maintenance_id === row.id)
      .map((link) => names.get(link[column]))
      .filter((name) => name !== undefined);
  const tags = named(tables.monitor_maintenance, 'monitor_id', monitors);
  const statusPages = named(tables.maintenance_status_page, 'status_page_id', pages);
  const description = textOf(row, 'description').slice(0, 2000);
  return {
    ...(timezone === 'UTC' ? {} : { timezone }),
    ...(description === '' ? {} : { description }),
    ...(tags.length > 0 ? { tags } : {}),
    ...(statusPages.length > 0 ? { statusPageVisibility: { enabled: true, statusPages } } : {}),
  };
}

function periodsOf(row: Row, zone: Zone, now: number, report: ReportLoss): readonly Period[] {
  const strategy = textOf(row, 'strategy');
  if (strategy === 'single') {
    const [startsAt, endsAt] = [
      instantOf(textOf(row, 'start_date'), zone),
      instantOf(textOf(row, 'end_date'), zone),
    ];
    if (endsAt > startsAt && endsAt > now) return [{ startsAt, endsAt }];
    report('skipped', undefined, endsAt <= now ? 'it is over' : 'it has no start and end');
    return [];
  }
  const start = minutesOf(textOf(row, 'start_time'));
  const length = (minutesOf(textOf(row, 'end_time')) - start + 1440) % 1440 || 1440;
  if (!strategy.startsWith('recurring-') || !Number.isFinite(length)) {
    report('skipped', undefined, `a window with the strategy "${strategy}" has no counterpart`);
    return [];
  }
  const first = instantOf(textOf(row, 'start_date'), zone);
  const from = wallTimeAt(Number.isNaN(first) ? now : first, zone);
  /** Returns the first day from the start on that meets a condition. */
  const next = (matches: (day: Date) => boolean): Omit<Period, 'repeat'> => {
    let days = 0;
    while (days < 366 && !matches(new Date(Date.UTC(from.year, from.month - 1, from.day + days)))) days++;
    const startsAt = instantAt({ ...from, day: from.day + days, time: start * MINUTE }, zone);
    return { startsAt, endsAt: startsAt + length * MINUTE };
  };
  const numbers = (column: string): readonly unknown[] => [jsonOf(row, column) ?? []].flat();
  switch (strategy) {
    case 'recurring-interval': {
      const interval = Math.max(numberOf(row, 'interval_day', 1), 1);
      return [{ ...next(() => true), repeat: { interval, unit: 'DAY' } }];
    }
    case 'recurring-weekday':
      return numbers('weekdays').map((weekday) => ({
        ...next((day) => day.getUTCDay() === Number(weekday) % 7),
        label: WEEKDAYS[Number(weekday) % 7] ?? String(weekday),
        repeat: { interval: 1, unit: 'WEEK' },
      }));
    default:
      return numbers('days_of_month').flatMap((wanted): readonly Period[] => {
        if (typeof wanted !== 'number') {
          report(
            'skipped',
            `day ${String(wanted)}`,
            'a window cannot repeat on a day counted from the end of the month',
          );
          return [];
        }
        const period = next((day) => day.getUTCDate() === wanted);
        return [{ ...period, label: `day ${wanted}`, repeat: { interval: 1, unit: 'MONTH' } }];
      });
  }
}

/** Returns minutes since midnight of `14:30`. */
function minutesOf(time: string): number {
  const [hours = Number.NaN, minutes = Number.NaN] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

/** Returns the instant of a local time: `2026-11-21 08:00:00`. A time with an offset has its own zone. */
function instantOf(text: string, zone: Zone): number {
  if (/(?:Z|[+-]\d\d:?\d\d)$/.test(text)) return Date.parse(text);
  const shown = Date.parse(`${text.trim().replace(' ', 'T')}${text.includes(':') ? '' : 'T00:00:00'}Z`);
  if (Number.isNaN(shown)) return Number.NaN;
  const date = new Date(shown);
  return instantAt(
    {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      time: ((shown % DAY) + DAY) % DAY,
    },
    zone,
  );
}

function repeatEndOf(row: Row, timezone: string): JsonObject {
  const end = instantOf(textOf(row, 'end_date'), zoneOf(timezone));
  return Number.isNaN(end) ? {} : { repeatEndsAt: new Date(end).toISOString() };
}
