/** What open windows cover: checks that pause, alerts that are silent, incidents that are held back, services on pages. */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  getPageMaintenance,
  isPaused,
  isSilenced,
  suppressesIncidents,
} from '../../../src/service/maintenance/effects.ts';
import { periodAt } from '../../../src/service/maintenance/periods.ts';
import { createWindows, loadWindows } from '../../../src/service/maintenance/windows.ts';
import type { MaintenanceWindowWithState } from '../../../src/service/store/index.ts';
import { at, shown, windowOf } from './support.ts';

const covered = {
  check: { name: 'a check', body: { tags: ['prod'] } },
  group: { body: { name: 'its group', tags: ['eu'], locations: [], retryStrategy: null } },
};
const NOON = at('08:30:00');

let versions = 0;
const reader = (...windows: MaintenanceWindowWithState[]) => {
  versions += 1;
  const version = `v${versions}`;
  return {
    maintenanceWindows: {
      version: vi.fn(async () => version),
      listWithState: vi.fn(async () => windows),
      past: async () => [],
    },
  };
};
const silenced = (window: MaintenanceWindowWithState, instant = NOON, since?: number) =>
  isSilenced(reader(window), 'account', covered, instant, since);

describe('what a window covers', () => {
  it.each([
    [{ pauseAllChecks: true }, true, true],
    [{ tags: ['prod'] }, true, true],
    [{ tags: ['a check'] }, true, true],
    [{ tags: ['eu'] }, true, true],
    [{ tags: ['its group'] }, true, true],
    [{ tags: ['other', 'PROD'] }, false, false],
    [{}, false, false],
    [{ tags: [] }, false, false],
    [{ silenceAllAlerts: true }, false, true],
    [{ silenceAlertsTags: ['eu'] }, false, true],
    [{ silenceAlertsTags: ['its group'] }, false, true],
    [{ silenceAlertsTags: ['other'] }, false, false],
    [{ tags: ['other'], silenceAlertsTags: ['prod'] }, false, true],
  ])('%j: pauses %s, silences %s', async (body, pauses, silences) => {
    const window = windowOf(body);
    expect(isPaused(createWindows([window], []), covered, NOON)).toBe(pauses);
    expect(await silenced(window)).toBe(silences);
    expect(isPaused(createWindows([window], []), covered, at('09:00:00'))).toBe(false);
    expect(await silenced(window, at('09:00:00'))).toBe(false);
  });

  it('matches a check without a group by its own names alone', () => {
    const alone = { check: covered.check };
    expect(isPaused(createWindows([windowOf({ tags: ['its group'] })], []), alone, NOON)).toBe(false);
    expect(isPaused(createWindows([windowOf({ tags: ['prod'] })], []), alone, NOON)).toBe(true);
  });

  it('pauses nothing beyond its planned end, however long it is shown', async () => {
    const lasting = windowOf({ pauseAllChecks: true, ...shown({ autoEnd: false }) });
    expect(isPaused(createWindows([lasting], []), covered, at('08:59:59'))).toBe(true);
    expect(isPaused(createWindows([lasting], []), covered, at('09:00:00'))).toBe(false);
    expect(await silenced(lasting, at('09:00:00'))).toBe(false);
  });

  it('silences what began in a window, and what began before it and ended after it', async () => {
    const window = windowOf({ silenceAllAlerts: true });
    expect(await silenced(window, at('09:05:00'), at('08:59:59'))).toBe(true);
    expect(await silenced(window, at('09:05:00'), at('07:00:00'))).toBe(true);
    expect(await silenced(window, at('09:05:00'), at('09:00:00'))).toBe(false);
    expect(await silenced(window, at('07:59:59'), at('07:00:00'))).toBe(false);
  });

  it('is worked out once between two changes, and says so of many checks as each alone would', () => {
    const start = at('00:00:00');
    const windows = fc.array(
      fc
        .record({
          from: fc.integer({ min: 0, max: 72 }),
          hours: fc.integer({ min: 1, max: 40 }),
          repeatUnit: fc.constantFrom(null, 'DAY' as const),
          startedAt: fc.option(fc.integer({ min: 0, max: 72 })),
          endedThrough: fc.option(fc.integer({ min: 0, max: 72 })),
          autoStart: fc.boolean(),
          autoEnd: fc.boolean(),
        })
        .map(({ from, hours, repeatUnit, startedAt, endedThrough, ...auto }) => {
          const instant = (hour: number) => start + hour * 3_600_000;
          return windowOf(
            {
              startsAt: new Date(instant(from)).toISOString(),
              endsAt: new Date(instant(from + hours)).toISOString(),
              repeatUnit,
              ...shown(auto),
            },
            {
              startedAt: startedAt === null ? null : instant(startedAt),
              endedThrough: endedThrough === null ? null : instant(endedThrough),
            },
          );
        }),
      { maxLength: 4 },
    );
    const instants = fc.array(fc.integer({ min: 0, max: 120 * 4 }), { maxLength: 40 });
    fc.assert(
      fc.property(windows, instants, (all, quarters) => {
        const read = createWindows(all, []);
        for (const quarter of quarters) {
          const instant = start + quarter * 900_000;
          const open = all.filter((window) => periodAt(window, instant) !== undefined);
          expect(read.at(instant).open.map(({ window }) => window.id)).toEqual(open.map(({ id }) => id));
        }
      }),
    );
  });

  it('is read once a version', async () => {
    const data = reader(windowOf({ pauseAllChecks: true }));
    const first = await loadWindows(data, 'account');
    expect(await loadWindows(data, 'account')).toBe(first);
    expect(data.maintenanceWindows.listWithState).toHaveBeenCalledTimes(1);
  });
});

describe('a status page', () => {
  const page = { id: 'page', serviceIds: ['dns', 'web'] };
  const on = (window: MaintenanceWindowWithState, instant = NOON) =>
    getPageMaintenance(createWindows([window], []), page, instant);
  const services = (more: object) => [...on(windowOf(shown(more))).services];

  it('shows what is enabled, with the services that it affects there', () => {
    expect(services({ affectAllServices: true })).toEqual(['dns', 'web']);
    expect(services({ serviceIds: ['web', 'elsewhere'] })).toEqual(['web']);
    expect(services({ statusPageIds: ['other'], affectAllServices: true })).toEqual([]);
    expect(on(windowOf()).underWay).toEqual([]);
    expect(on(windowOf(shown({ serviceIds: ['elsewhere'] }))).underWay).toEqual([]);
    expect(on(windowOf(shown({ statusPageIds: ['page'], serviceIds: ['elsewhere'] }))).underWay).toHaveLength(
      1,
    );
    expect(on(windowOf(shown())).underWay).toMatchObject([{ serviceIds: [], severity: null }]);
  });

  it('shows what is under way and what comes next, the soonest first', () => {
    const daily = windowOf({ name: 'daily', repeatUnit: 'DAY', ...shown({ severity: 'MINOR' }) });
    const later = windowOf({
      ...{ name: 'later', startsAt: '2026-11-22T07:00:00Z', endsAt: '2026-11-22T08:00:00Z' },
      ...shown({ serviceIds: ['dns'] }),
    });
    const over = windowOf({ name: 'over', startsAt: '2026-11-20', endsAt: '2026-11-21', ...shown() });
    const all = createWindows([daily, later, over], []);
    const names = (instant: number) => {
      const { underWay, next } = getPageMaintenance(all, page, instant);
      return [underWay.map(({ name }) => name), next.map(({ name }) => name)];
    };
    expect(names(NOON)).toEqual([['daily'], ['later']]);
    expect(names(at('09:00:00'))).toEqual([[], ['later', 'daily']]);
    expect(getPageMaintenance(all, page, at('09:00:00')).next).toMatchObject([
      { startsAt: Date.parse('2026-11-22T07:00:00Z'), serviceIds: ['dns'] },
      { startsAt: Date.parse('2026-11-22T08:00:00Z'), severity: 'MINOR' },
    ]);
  });
});

describe('incidents', () => {
  const pages = [{ id: 'page', body: { cards: [{ services: [{ id: 'web' }] }] } }];
  const held = (more: object, body: object = {}, instant = NOON) =>
    suppressesIncidents(
      {
        ...reader(windowOf({ ...shown({ suppressAutoIncidents: true, ...more }), ...body })),
        statusPages: {
          byIds: async (_account: string, ids: readonly string[]) =>
            pages.filter(({ id }) => ids.includes(id)),
        } as unknown as Parameters<typeof suppressesIncidents>[0]['statusPages'],
      },
      'account',
      { ...covered, serviceId: 'web' },
      instant,
    );

  it.each([
    [{}, {}, true],
    [{ suppressAutoIncidents: false }, {}, false],
    [{ enabled: false }, {}, false],
    [{ serviceIds: ['web'] }, {}, true],
    [{ serviceIds: ['dns'] }, {}, false],
    [{ serviceIds: ['dns'] }, { tags: ['prod'] }, true],
    [{ affectAllServices: true }, {}, true],
    [{ affectAllServices: true, statusPageIds: ['page'] }, {}, true],
    [{ affectAllServices: true, statusPageIds: ['other'] }, {}, false],
    [{ statusPageIds: ['other'] }, {}, false],
  ])('are held back by %j %j: %s', async (more, body, expected) => {
    expect(await held(more, body)).toBe(expected);
    expect(await held(more, body, at('09:00:00'))).toBe(false);
  });
});
