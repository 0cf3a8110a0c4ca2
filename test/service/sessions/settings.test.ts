/** The settings that hold for a run: the check's, its group's, the service's. */
import { describe, expect, it } from 'vitest';
import { DOUBLE_CHECK } from '../../../src/service/sessions/retries.ts';
import { poolOf, settingsOf } from '../../../src/service/sessions/settings.ts';
import type { CheckGroupRecord, CheckRecord } from '../../../src/service/store/index.ts';

const checkWith = (body: object, record: object = {}) =>
  ({ activated: true, muted: false, body, ...record }) as unknown as CheckRecord;
const groupWith = (body: object) => ({ id: 1, body }) as unknown as CheckGroupRecord;
const settings = (own: object, over?: object) =>
  settingsOf(checkWith(own), over === undefined ? undefined : groupWith(over));

describe('the settings of a check in a group', () => {
  it("have the group's locations, private ones too, where it names any", () => {
    const own = { locations: ['eu-west-1'], privateLocations: ['cellar'] };
    expect(settings(own).locations).toEqual(['eu-west-1', 'cellar']);
    expect(settings(own, { privateLocations: ['attic'] }).locations).toEqual(['attic']);
    expect(settings(own, { locations: [], privateLocations: null }).locations).toEqual([
      'eu-west-1',
      'cellar',
    ]);
  });

  it("have the group's runParallel unless it is null", () => {
    expect(settings({ runParallel: true }, { runParallel: false }).runParallel).toBe(false);
    expect(settings({ runParallel: true }, { runParallel: null }).runParallel).toBe(true);
  });

  it.each([
    [
      "the check's own strategy under FALLBACK",
      { retryStrategy: { maxRetries: 4 } },
      { retryStrategy: 'FALLBACK' },
      4,
    ],
    [
      "the group's strategy otherwise",
      { retryStrategy: { maxRetries: 4 } },
      { retryStrategy: { maxRetries: 7 } },
      7,
    ],
    [
      'none where the group says none',
      { retryStrategy: { maxRetries: 4 } },
      { retryStrategy: null },
      undefined,
    ],
    [
      "the check's own where the group only double checks",
      { retryStrategy: { maxRetries: 4 } },
      { doubleCheck: true },
      4,
    ],
    ['none where the check says none', { retryStrategy: null }, { retryStrategy: 'FALLBACK' }, undefined],
    [
      'none without double check',
      { doubleCheck: false },
      { retryStrategy: 'FALLBACK', doubleCheck: true },
      undefined,
    ],
  ])('have %s', (_, own, over, maxRetries) => {
    expect(settings(own, over).retry?.maxRetries).toBe(maxRetries);
  });

  it('have a double check where neither says anything, or the group alone', () => {
    expect(settings({}).retry).toEqual(DOUBLE_CHECK);
    expect(settings({ doubleCheck: false }, { doubleCheck: true }).retry).toEqual(DOUBLE_CHECK);
  });

  it("have the group's runtime where it names one, and its base URL for browser checks", () => {
    expect(settings({}).runtimeId).toBeNull();
    expect(settings({ runtimeId: '2025.04' }, { runtimeId: null }).runtimeId).toBe('2025.04');
    expect(settings({ runtimeId: '2025.04' }, { runtimeId: '2026.04' }).runtimeId).toBe('2026.04');
    expect(settings({}, {}).baseUrl).toBeNull();
    expect(settings({}, { browserCheckDefaults: 'https://example.org' }).baseUrl).toBe('https://example.org');
  });

  it("merge variables, the check's own winning", () => {
    const variable = (key: string, value: string) => ({ key, value });
    const own = { environmentVariables: [variable('A', 'own'), variable('B', 'own')] };
    const over = { environmentVariables: [variable('A', 'group'), variable('C', 'group')] };
    expect(settings(own, over).environmentVariables).toEqual([
      variable('A', 'own'),
      variable('C', 'group'),
      variable('B', 'own'),
    ]);
  });

  it('are active and loud only where both say so, and have the labels of both', () => {
    const off = settingsOf(checkWith({}, { activated: true }), groupWith({ activated: false }));
    expect(off.activated).toBe(false);
    expect(settingsOf(checkWith({}), groupWith({ muted: true })).muted).toBe(true);
    expect(settings({ tags: ['a', 'b'] }, { tags: ['b', 'c'] }).tags).toEqual(['a', 'b', 'c']);
  });
});

describe('a pool', () => {
  it('is one for all public locations, and one for each private location', () => {
    expect(poolOf('eu-west-1')).toBe('public');
    expect(poolOf('cellar')).toBe('private/cellar');
  });
});
