/** Converts maintenance windows of Gatus, which repeat every day or on some weekdays and only silence alerts. */
import type { JsonObject } from '../../../../base/object.ts';
import { isZone, zoneOf } from '../../../../calendar/zone.ts';
import type { Conversion, ReportLoss } from '../conversion.ts';
import { convertItem } from '../convert-item.ts';
import { flagOf, secondsOf, textOf } from '../values.ts';
import { dailyPeriod, minutesOf, type Period, WEEKDAYS, weeklyPeriod, windowFields } from '../windows.ts';

/** Adds the windows of an endpoint or of all. `effect`: what they silence. */
export function addWindows(
  title: string,
  windows: readonly JsonObject[],
  effect: JsonObject,
  conversion: Conversion,
  now: number,
): void {
  for (const source of windows) {
    const { value = [] } = convertItem(conversion, { kind: 'maintenance', name: title, source }, (report) =>
      windowsOf(title, source, now, report),
    );
    for (const { name, ...fields } of value)
      conversion.add('maintenanceWindows', {
        name: conversion.uniqueName('maintenanceWindows', String(name)),
        ...fields,
        ...effect,
      });
  }
}

function windowsOf(
  title: string,
  window: JsonObject,
  now: number,
  report: ReportLoss,
): readonly JsonObject[] | undefined {
  if (!flagOf(window, 'enabled', report, { fallback: true, outcome: 'changed' })) {
    report('skipped', undefined, 'it is not enabled');
    return undefined;
  }
  const startMinutes = minutesOf(textOf(window.start));
  const seconds = secondsOf(window.duration);
  if (Number.isNaN(startMinutes) || seconds === undefined) {
    report('skipped', undefined, 'it has no start or duration');
    return undefined;
  }
  const zone = textOf(window.timezone);
  const timezone = isZone(zone) ? zone : 'UTC';
  if (zone !== '' && zone !== timezone)
    report('changed', 'timezone', `the time zone ${zone} is unknown; it became UTC`);
  const time = { from: now, startMinutes, lengthMinutes: seconds / 60, zone: zoneOf(timezone) };
  return periodsOf(window, time, report).map((period) => ({
    ...windowFields(title, period, report),
    ...(timezone === 'UTC' ? {} : { timezone }),
  }));
}

function periodsOf(
  { every }: JsonObject,
  time: Parameters<typeof dailyPeriod>[0],
  report: ReportLoss,
): readonly Period[] {
  const days = Array.isArray(every) ? every.map(String) : [];
  if (days.length === 0) return [dailyPeriod(time, 1)];
  return days.flatMap((day) => {
    const weekday = WEEKDAYS.indexOf(day);
    if (weekday !== -1) return [weeklyPeriod(time, weekday)];
    report('changed', 'every', `the weekday ${day} is unknown`);
    return [];
  });
}
