/** What subscribers read of maintenance, and which of them. */
import { describe, expect, it } from 'vitest';
import type { MaintenanceEvent } from '../../../src/service/maintenance/periods.ts';
import {
  formatEvent,
  formatPeriod,
  getAffectedServices,
} from '../../../src/service/notify/notify-maintenance.ts';
import { at, shown, windowOf } from './support.ts';

const period = { startsAt: at('22:00:00'), endsAt: at('23:30:00') };

describe('times', () => {
  it.each([
    ['UTC', '21 November 2026, 22:00 to 23:30 (UTC)'],
    ['a zone that Node does not know', '21 November 2026, 22:00 to 23:30 (UTC)'],
    ['America/New_York', '21 November 2026, 17:00 to 18:30 (America/New_York)'],
    ['Europe/Berlin', '21 November 2026, 23:00 to 22 November 2026, 00:30 (Europe/Berlin)'],
  ])('are told by the clock of %s', (timeZone, text) => {
    expect(formatPeriod(period, timeZone)).toBe(text);
  });

  it.each([
    ['21:00:00', 'Scheduled maintenance starts in 1 hour'],
    ['20:30:00', 'Scheduled maintenance starts in 90 minutes'],
    ['20:59:45', 'Scheduled maintenance starts in 1 hour'],
    ['10:00:00', 'Scheduled maintenance starts in 12 hours'],
    ['21:59:50', 'Scheduled maintenance starts in 1 minute'],
  ])('until the start at %s are told as a person would', (now, text) => {
    const news: MaintenanceEvent = { kind: 'REMINDER', period };
    expect(formatEvent(news, at(now))).toBe(text);
    expect(formatEvent(news, period.startsAt - 7 * 86_400_000)).toBe(
      'Scheduled maintenance starts in 7 days',
    );
  });
});

describe('what it concerns', () => {
  it.each([
    [{ affectAllServices: true }, 'all'],
    [{ serviceIds: ['shop'] }, ['shop']],
    [{}, 'none'],
  ])('%j: %j', (visibility, services) => {
    expect(getAffectedServices(windowOf(shown(visibility)).body)).toEqual(services);
  });
});
