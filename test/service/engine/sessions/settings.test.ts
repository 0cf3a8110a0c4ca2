/** The settings that hold for a run: the check's, its group's, the service's. */
import { describe, expect, it } from 'vitest';
import { DOUBLE_CHECK } from '../../../../src/service/engine/sessions/retries.ts';
import { poolOf, resolveSettings } from '../../../../src/service/engine/sessions/settings.ts';
import type { CheckGroupRecord, CheckRecord } from '../../../../src/service/store/index.ts';

const checkWith = (body: object, record: object = {}) =>
  ({ type: 'DNS', activated: true, muted: false, body, ...record }) as unknown as CheckRecord;
const groupWith = (body: object) => ({ id: 1, body }) as unknown as CheckGroupRecord;
const settings = (own: object, over?: object) =>
  resolveSettings(checkWith(own), over === undefined ? undefined : groupWith(over));

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

  /** Which setting decides about retries: rows are what a group says, columns what a check says. */
  const [GROUP, CHECK, TWICE, NEVER] = ['group', 'check', 'twice', 'never'] as const;
  const ofCheck = [
    {},
    { doubleCheck: true },
    { doubleCheck: false },
    { retryStrategy: null },
    { retryStrategy: null, doubleCheck: true },
    { retryStrategy: { maxRetries: 4 } },
    { retryStrategy: { maxRetries: 4 }, doubleCheck: false },
  ];
  const alone = [TWICE, TWICE, NEVER, NEVER, NEVER, CHECK, CHECK];
  it.each<[group: object | undefined, retries: readonly string[]]>([
    [undefined, alone],
    [{}, alone],
    [{ doubleCheck: true }, [TWICE, TWICE, TWICE, NEVER, NEVER, CHECK, CHECK]],
    [{ doubleCheck: false }, [NEVER, NEVER, NEVER, NEVER, NEVER, CHECK, CHECK]],
    [{ retryStrategy: 'FALLBACK' }, alone],
    [{ retryStrategy: 'FALLBACK', doubleCheck: true }, alone],
    [{ retryStrategy: 'FALLBACK', doubleCheck: false }, alone],
    [{ retryStrategy: null }, ofCheck.map(() => NEVER)],
    [{ retryStrategy: null, doubleCheck: true }, ofCheck.map(() => NEVER)],
    [{ retryStrategy: null, doubleCheck: false }, ofCheck.map(() => NEVER)],
    [{ retryStrategy: { maxRetries: 7 } }, ofCheck.map(() => GROUP)],
    [{ retryStrategy: { maxRetries: 7 }, doubleCheck: true }, ofCheck.map(() => GROUP)],
    [{ retryStrategy: { maxRetries: 7 }, doubleCheck: false }, ofCheck.map(() => GROUP)],
  ])('retry as its group %j and the check say', (over, expected) => {
    const retries = ofCheck.map((own) => {
      const { retry } = settings(own, over);
      if (retry === null) return NEVER;
      if (retry.maxRetries === 1) expect(retry).toEqual(DOUBLE_CHECK);
      return { 1: TWICE, 4: CHECK, 7: GROUP }[retry.maxRetries];
    });
    expect(retries).toEqual(expected);
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

  it('are active only where both say so, and have the labels of both', () => {
    const off = resolveSettings(checkWith({}, { activated: true }), groupWith({ activated: false }));
    expect(off.activated).toBe(false);
    expect(settings({ tags: ['a', 'b'] }, { tags: ['b', 'c'] }).tags).toEqual(['a', 'b', 'c']);
  });
});

describe('a pool', () => {
  it('is one for all public locations, and one for each private location', () => {
    expect(poolOf('eu-west-1')).toBe('public');
    expect(poolOf('cellar')).toBe('private/cellar');
  });
});

it('a check of a type that only a newer version knows has settings, so that the schedule goes on', () => {
  const check = checkWith({ locations: ['eu-west-1'] }, { type: 'NEWER' });
  expect(resolveSettings(check, undefined)).toMatchObject({ locations: ['eu-west-1'], retry: DOUBLE_CHECK });
});
