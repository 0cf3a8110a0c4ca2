/** Tests the generic repository with every document resource. */
import { describe, expect, test } from 'vitest';
import {
  type Collection,
  rowsOf,
  StoreConflict,
  UnknownCursor,
} from '../../../../src/service/store/index.ts';
import type { StoreFixture } from '../contract.ts';

type Id = string | number;
/** An untyped collection with distinct bodies. */
interface Sample {
  readonly name: string;
  readonly of: (fixture: StoreFixture) => Collection<Id, unknown>;
  readonly body: (number: number) => unknown;
  readonly unknownId: Id;
}

const untyped = (collection: unknown) => collection as Collection<Id, unknown>;
const UNUSED_NUMBER = 4_040_404_040_404;
const NO_UUID = '00000000-0000-4000-8000-000000000000';

const SAMPLES: readonly Sample[] = [
  {
    name: 'alert channels',
    of: ({ store }) => untyped(store.alertChannels),
    body: (n) => ({ type: 'EMAIL', config: { address: `${n}@example.org` } }),
    unknownId: UNUSED_NUMBER,
  },
  {
    name: 'snippets',
    of: ({ store }) => untyped(store.snippets),
    body: (n) => ({ name: `snippet ${n}`, script: 'a\u0000b' }),
    unknownId: UNUSED_NUMBER,
  },
  {
    name: 'maintenance windows',
    of: ({ store }) => untyped(store.maintenanceWindows),
    body: (n) => ({
      name: `window ${n}`,
      startsAt: '2026-11-21T00:00:00Z',
      endsAt: '2026-11-21T01:00:00Z',
      repeatUnit: null,
    }),
    unknownId: UNUSED_NUMBER,
  },
  {
    name: 'variables',
    of: ({ store }) => untyped(store.variables),
    body: (n) => ({ key: `KEY_${n}`, value: 'ü "quoted"' }),
    unknownId: NO_UUID,
  },
  {
    name: 'dashboards',
    of: ({ store }) => untyped(store.dashboards),
    body: (n) => ({ header: `dashboard ${n}` }),
    unknownId: NO_UUID,
  },
  {
    name: 'status pages',
    of: ({ store }) => untyped(store.statusPages),
    body: (n) => ({ name: `page ${n}`, url: `page-${n}`, cards: [] }),
    unknownId: NO_UUID,
  },
  {
    name: 'status page services',
    of: ({ store }) => untyped(store.services),
    body: (n) => ({ name: `service ${n}` }),
    unknownId: NO_UUID,
  },
  {
    name: 'incidents',
    of: ({ store }) => untyped(store.incidents),
    body: (n) => ({ name: `incident ${n}`, severity: 'MINOR', services: [], incidentUpdates: [] }),
    unknownId: NO_UUID,
  },
  {
    name: 'private locations',
    of: ({ store }) => untyped(store.privateLocations),
    body: (n) => ({ name: `location ${n}`, slugName: `location-${n}` }),
    unknownId: NO_UUID,
  },
  {
    name: 'check groups',
    of: ({ store }) => untyped({ ...store.groups, change: undefined }),
    body: (n) => ({ name: `group ${n}`, activated: false }),
    unknownId: UNUSED_NUMBER,
  },
];

export function documentContract(current: () => StoreFixture): void {
  describe.each(SAMPLES)('$name', ({ of, body, unknownId }) => {
    test('are stored unchanged, with an ID and a creation time', async () => {
      const fixture = current();
      const made = await of(fixture).create(fixture.mine, body(1));
      expect(typeof made.id).toBe(typeof unknownId);
      expect(made).toEqual({
        ...{ id: made.id, accountId: fixture.mine, body: body(1) },
        ...{ createdAt: fixture.clock.now(), updatedAt: null },
      });
      expect(await of(fixture).get(fixture.mine, made.id)).toEqual(made);
      expect(await of(fixture).byIds(fixture.mine, [unknownId, made.id])).toEqual([made]);
    });

    test('are replaced completely, with the time of the change', async () => {
      const fixture = current();
      const { id, createdAt } = await of(fixture).create(fixture.mine, body(1));
      fixture.clock.step(1_000);
      const replaced = await of(fixture).replace(fixture.mine, id, body(2));
      expect(replaced).toEqual({
        ...{ id, accountId: fixture.mine, body: body(2) },
        ...{ createdAt, updatedAt: createdAt + 1_000 },
      });
      expect(await of(fixture).get(fixture.mine, id)).toEqual(replaced);
    });

    test('are deleted', async () => {
      const fixture = current();
      const { id } = await of(fixture).create(fixture.mine, body(1));
      expect(await of(fixture).delete(fixture.mine, id)).toBe(true);
      expect(await of(fixture).delete(fixture.mine, id)).toBe(false);
      expect(await of(fixture).get(fixture.mine, id)).toBeUndefined();
    });

    test('of another account are invisible', async () => {
      const fixture = current();
      const { theirs, mine } = fixture;
      const made = await of(fixture).create(mine, body(1));
      expect(await of(fixture).get(theirs, made.id)).toBeUndefined();
      expect(await of(fixture).byIds(theirs, [made.id])).toEqual([]);
      expect(await of(fixture).replace(theirs, made.id, body(2))).toBeUndefined();
      expect(await of(fixture).delete(theirs, made.id)).toBe(false);
      expect(await of(fixture).list(theirs)).toEqual([]);
      expect(await of(fixture).get(mine, made.id)).toEqual(made);
    });

    test("with unknown IDs are not found, even if the ID exceeds the column's range", async () => {
      const fixture = current();
      const keys = typeof unknownId === 'number' ? [unknownId, 2 ** 70, 0.5, -1] : [unknownId, '', "'"];
      for (const key of keys) {
        expect(await of(fixture).get(fixture.mine, key)).toBeUndefined();
        expect(await of(fixture).replace(fixture.mine, key, body(1))).toBeUndefined();
        expect(await of(fixture).delete(fixture.mine, key)).toBe(false);
      }
      expect(await of(fixture).byIds(fixture.mine, keys)).toEqual([]);
    });

    test('are listed newest first, by page', async () => {
      const fixture = current();
      const ids: Id[] = [];
      for (let n = 0; n < 5; n += 1) {
        ids.unshift((await of(fixture).create(fixture.mine, body(n))).id);
        fixture.clock.step(1);
      }
      const listed = async (limit?: number, offset?: number) =>
        (await of(fixture).list(fixture.mine, { limit, offset })).map(({ id }) => id);
      expect(await listed()).toEqual(ids);
      expect(await listed(2)).toEqual(ids.slice(0, 2));
      expect(await listed(2, 4)).toEqual(ids.slice(4));
      expect(await listed(undefined, 3)).toEqual(ids.slice(3));
      expect(await listed(2, 10)).toEqual([]);
    });
  });

  describe.each(SAMPLES.filter(({ name }) => name !== 'check groups'))('$name', ({ of, body }) => {
    test('are listed once each by cursor, even if created at the same instant', async () => {
      const fixture = current();
      const made: Id[] = [];
      for (let n = 0; n < 7; n += 1) made.push((await of(fixture).create(fixture.mine, body(n))).id);
      await of(fixture).create(fixture.theirs, body(7));
      const told: Id[] = [];
      let after: string | undefined;
      do {
        const page = await of(fixture).page(fixture.mine, { limit: 3, after });
        told.push(...(await rowsOf(page)).map(({ id }) => id));
        after = page.nextId ?? undefined;
      } while (after !== undefined);
      expect(new Set(told)).toEqual(new Set(made));
      expect(told).toHaveLength(7);
      expect(await of(fixture).count(fixture.mine)).toBe(7);
    });

    test('reject an unknown cursor', async () => {
      const fixture = current();
      for (const after of ['nonsense', '', Buffer.from('1 ; drop table').toString('base64url')]) {
        await expect(of(fixture).page(fixture.mine, { limit: 3, after })).rejects.toThrow(UnknownCursor);
      }
    });

    test('are changed from their current body', async () => {
      const fixture = current();
      const { id } = await of(fixture).create(fixture.mine, body(1));
      const marked = (before: unknown) => ({ ...(before as object), mark: 'changed' });
      const changed = await of(fixture).change(fixture.mine, id, marked);
      expect(changed?.body).toEqual(marked(body(1)));
      expect(await of(fixture).change(fixture.theirs, id, marked)).toBeUndefined();
    });
  });

  describe('a field that must be unique', () => {
    test('of a variable is its key, within its account', async () => {
      const { store, mine, theirs } = current();
      const made = await store.variables.create(mine, { key: 'A', value: '1' });
      const other = await store.variables.create(mine, { key: 'B', value: '2' });
      await store.variables.create(theirs, { key: 'A', value: '3' });
      const again = store.variables.create(mine, { key: 'A', value: '4' });
      await expect(again).rejects.toMatchObject({ reason: 'unique', table: 'variables' });
      await expect(store.variables.replace(mine, other.id, { key: 'A', value: '5' })).rejects.toBeInstanceOf(
        StoreConflict,
      );
      expect(await store.variables.byKey(mine, 'A')).toEqual(made);
      expect(await store.variables.byKey(mine, 'C')).toBeUndefined();
    });

    test('of a status page is its address, within the whole service', async () => {
      const { store, mine, theirs } = current();
      await store.statusPages.create(mine, { name: 'ours', url: 'status', cards: [] });
      const again = store.statusPages.create(theirs, { name: 'theirs', url: 'status', cards: [] });
      await expect(again).rejects.toMatchObject({ reason: 'unique', table: 'status_pages' });
    });

    test('may be missing in any number of resources', async () => {
      const { store, mine } = current();
      await store.dashboards.create(mine, {});
      await store.dashboards.create(mine, {});
      expect(await store.dashboards.count(mine)).toBe(2);
    });
  });

  test('maintenance windows are filtered by start and end', async () => {
    const { store, mine } = current();
    const day = (n: number) => `2026-11-0${n}T00:00:00.000Z`;
    for (const n of [1, 2, 3]) {
      const body = { name: `${n}`, startsAt: day(n), endsAt: day(n + 1), repeatUnit: null };
      await store.maintenanceWindows.create(mine, body);
    }
    const names = async (filter: Parameters<typeof store.maintenanceWindows.list>[1]) =>
      (await store.maintenanceWindows.list(mine, filter)).map(({ body }) => body.name).sort();
    const at = (comparison: 'gt' | 'gte' | 'lt' | 'lte', n: number) => ({
      comparison,
      instant: Date.parse(day(n)),
    });
    expect(await names({ startsAt: at('gt', 2) })).toEqual(['3']);
    expect(await names({ startsAt: at('gte', 2) })).toEqual(['2', '3']);
    expect(await names({ endsAt: at('lt', 3) })).toEqual(['1']);
    expect(await names({ startsAt: at('gte', 2), endsAt: at('lte', 3) })).toEqual(['2']);
  });
}
