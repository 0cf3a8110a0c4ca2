/** Tests accounts and keys. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StoreFixture } from '../contract.ts';

export function accountContract(current: () => StoreFixture): void {
  test('an account stores its alert settings', async () => {
    const { store, mine, theirs } = current();
    expect((await store.accounts.get(mine))?.alertSettings).toBeUndefined();
    await store.accounts.setAlertSettings(mine, { escalationType: 'RUN_BASED' });
    expect((await store.accounts.get(mine))?.alertSettings).toEqual({ escalationType: 'RUN_BASED' });
    expect((await store.accounts.get(theirs))?.alertSettings).toBeUndefined();
    expect((await store.accounts.list()).map(({ id }) => id).sort()).toEqual([mine, theirs].sort());
  });

  describe('API keys', () => {
    test('authenticate their account; other secrets do not', async () => {
      const { store, mine, theirs } = current();
      const { key, secret } = await store.keys.create(mine, 'first');
      await store.keys.create(theirs, 'other');
      expect(secret).toMatch(/^sk_[\w-]{43}$/);
      expect(await store.keys.authenticate(secret)).toMatchObject({ id: key.id, accountId: mine });
      for (const wrong of ['', 'sk_', `${secret}x`, secret.slice(0, -1), key.masked]) {
        expect(await store.keys.authenticate(wrong)).toBeUndefined();
      }
    });

    test('are stored as hashes', async () => {
      const { store, mine } = current();
      const { secret } = await store.keys.create(mine, 'first');
      const rows = JSON.stringify(await store.db.selectFrom('api_keys').selectAll().execute());
      expect(rows).not.toContain(secret.slice(8));
    });

    test('are rejected after their account deletes them', async () => {
      const { store, mine, theirs } = current();
      const { key, secret } = await store.keys.create(mine, 'first');
      expect(await store.keys.delete(theirs, key.id)).toBe(false);
      expect(await store.keys.delete(mine, key.id)).toBe(true);
      expect(await store.keys.authenticate(secret)).toBeUndefined();
    });

    test('are rejected after deletion despite the cache and concurrent requests', async () => {
      const { store, mine } = current();
      const { key, secret } = await store.keys.create(mine, 'first');
      await store.keys.authenticate(secret);
      const asked = () => Array.from({ length: 5 }, () => store.keys.authenticate(secret));
      const before = asked();
      const deleted = store.transaction(async (tx) => {
        await tx.keys.delete(mine, key.id);
        await tx.keys.list(mine);
      });
      const meanwhile = asked();
      await Promise.all([...before, ...meanwhile, deleted]);
      expect(await store.keys.authenticate(secret)).toBeUndefined();
    });

    test('remain valid if their deletion is rolled back', async () => {
      const { store, mine } = current();
      const { key, secret } = await store.keys.create(mine, 'first');
      await store.keys.authenticate(secret);
      const givenUp = store.transaction(async (tx) => {
        await tx.keys.delete(mine, key.id);
        throw new Error('given up');
      });
      await expect(givenUp).rejects.toThrow('given up');
      expect(await store.keys.authenticate(secret)).toMatchObject({ id: key.id });
    });

    test('record their last use to the minute', async () => {
      const { store, mine, clock } = current();
      const { secret } = await store.keys.create(mine, 'first');
      const lastUsed = async () => (await store.keys.list(mine))[0]?.lastUsedAt;
      expect(await lastUsed()).toBeNull();
      const first = clock.now();
      await store.keys.authenticate(secret);
      clock.step(59_000);
      await store.keys.authenticate(secret);
      expect(await lastUsed()).toBe(first);
      clock.step(1_000);
      await store.keys.authenticate(secret);
      expect(await lastUsed()).toBe(first + 60_000);
    });
  });

  test('slugs that differ only by case are one, and a resource keeps its own', async () => {
    const { store, mine } = current();
    const create = {
      dashboard: (slug: string) => store.dashboards.create(mine, { customUrl: slug } as never),
      page: (slug: string) => store.statusPages.create(mine, { name: 'x', url: slug, cards: [] } as never),
      location: (slug: string) => store.privateLocations.create(mine, { name: 'x', slugName: slug }),
    };
    const letters = fc.array(fc.constantFrom('a', 'Z', 'é', 'Ö', '_', '%', '1'), { maxLength: 5 });
    const kind = fc.constantFrom('dashboard' as const, 'page' as const, 'location' as const);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(letters, kind, fc.boolean(), async (parts, of, isUpper) => {
        const slug = `${parts.join('')}x${count++}`;
        const { id, body } = await create[of](slug);
        const other = isUpper ? slug.toUpperCase() : slug.toLowerCase();
        await expect(create[of](other)).rejects.toMatchObject({ reason: 'unique' });
        await create[of](`${slug}-`);
        const collections = {
          dashboard: store.dashboards,
          page: store.statusPages,
          location: store.privateLocations,
        };
        expect(await collections[of].replace(mine, id, body as never)).toMatchObject({ id });
      }),
      { numRuns: 40 },
    );
  });

  describe('private locations', () => {
    test('are authenticated by their keys until deletion', async () => {
      const { store, mine, theirs } = current();
      const { id } = await store.privateLocations.create(mine, { name: 'Office', slugName: 'office' });
      await expect(store.privateLocations.createKey(theirs, id)).rejects.toMatchObject({
        reason: 'reference',
      });
      const { key, secret } = await store.privateLocations.createKey(mine, id);
      expect(secret).toMatch(/^pl_/);
      expect(await store.privateLocations.authenticate(secret)).toEqual({
        ...{
          id: key.id,
          accountId: mine,
          locationId: id,
          slugName: 'office',
          name: 'Office',
          proxyUrl: null,
        },
      });
      expect(await store.privateLocations.keysOf(mine, [id])).toEqual([key]);
      expect(await store.privateLocations.keysOf(theirs, [id])).toEqual([]);
      expect(await store.privateLocations.deleteKey(theirs, id, key.id)).toBe(false);
      expect(await store.privateLocations.deleteKey(mine, id, key.id)).toBe(true);
      expect(await store.privateLocations.authenticate(secret)).toBeUndefined();
    });

    test('record which agents were seen', async () => {
      const { store, mine, theirs, clock } = current();
      const { id } = await store.privateLocations.create(mine, { name: 'Office', slugName: 'office' });
      const since = clock.now();
      await store.privateLocations.recordSeen(id, 'one', '1.2.3');
      await store.privateLocations.recordSeen(id, 'one');
      clock.step(1_000);
      await store.privateLocations.recordSeen(id, 'two');
      await store.privateLocations.recordSeen(id, 'two');
      const of = async (from: number) => (await store.privateLocations.presence(mine, [id], from)).get(id);
      const one = { id: 'one', seenAt: since, version: '1.2.3' };
      const two = { id: 'two', seenAt: since + 1_000, version: null };
      const lastSeen = since + 1_000;
      expect(await of(since)).toEqual({ lastSeen, agentCount: 2, agents: [one, two] });
      expect(await of(since + 1)).toEqual({ lastSeen, agentCount: 1, agents: [two] });
      expect((await store.privateLocations.presence(theirs, [id], since)).size).toBe(0);
      expect(await store.privateLocations.delete(mine, id)).toBe(true);
      expect(await of(since)).toBeUndefined();
    });
  });
}
