/** Converts the maintenance of Uptime Kuma to maintenance windows. */
import type { JsonObject } from '../../../../base/object.ts';
import { instantAt, isZone, type Zone, zoneOf } from '../../../../calendar/zone.ts';
import { cutText } from '../check-parts.ts';
import type { Conversion, ReportLoss } from '../conversion.ts';
import { convertItem } from '../convert-item.ts';
import {
  dailyPeriod,
  minutesOf,
  monthlyPeriod,
  type Period,
  weeklyPeriod,
  windowFields,
} from '../windows.ts';
import { isDefault, MAINTENANCE_RULES } from './columns.ts';
import { flagOf, jsonOf, type KumaTables, numberOf, type Row, textOf } from './tables.ts';

/** The names of what windows refer to, by ID. */
export interface MaintenanceNames {
  /** Checks and groups. */
  readonly monitors: ReadonlyMap<unknown, string>;
  readonly pages: ReadonlyMap<unknown, string>;
}

const DAY = 24 * 60 * 60_000;
const MAX_DESCRIPTION = 2000;

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
    const item = { kind: 'maintenance', name: title, source: row, rules: MAINTENANCE_RULES, isDefault };
    const { value = [] } = convertItem(conversion, item, (report) => {
      if (!flagOf(row, 'active', true)) {
        report('skipped', undefined, 'it is not active');
        return undefined;
      }
      const zones = [textOf(row, 'timezone'), String(serverZone && jsonOf(serverZone, 'value'))];
      const timezone = zones.find(isZone) ?? 'UTC';
      const fields = fieldsOf(row, timezone, tables, names, report);
      return periodsOf(row, zoneOf(timezone), now, report).map((period) => ({
        ...windowFields(title, period, report),
        ...(period.repeat === undefined ? {} : repeatEndOf(row, timezone)),
        ...fields,
      }));
    });
    for (const { name, ...fields } of value)
      conversion.add('maintenanceWindows', {
        name: conversion.uniqueName('maintenanceWindows', String(name)),
        ...fields,
      });
  }
}

function fieldsOf(
  row: Row,
  timezone: string,
  tables: KumaTables,
  { monitors, pages }: MaintenanceNames,
  report: ReportLoss,
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
  const description = cutText(textOf(row, 'description'), MAX_DESCRIPTION, 'description', report);
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
  const time = { from: Number.isNaN(first) ? now : first, startMinutes: start, lengthMinutes: length, zone };
  const numbers = (column: string): readonly unknown[] => [jsonOf(row, column) ?? []].flat();
  switch (strategy) {
    case 'recurring-interval':
      return [dailyPeriod(time, Math.max(numberOf(row, 'interval_day', 1), 1))];
    case 'recurring-weekday':
      return numbers('weekdays').map((weekday) => weeklyPeriod(time, Number(weekday) % 7));
    default:
      return numbers('days_of_month').flatMap((day): readonly Period[] => {
        if (typeof day === 'number') return [monthlyPeriod(time, day)];
        report(
          'skipped',
          `day ${String(day)}`,
          'a window cannot repeat on a day counted from the end of the month',
        );
        return [];
      });
  }
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
