/** Tests transactions and values in statements. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { StoreTransaction } from '../../../../src/service/store/index.ts';
import type { StoreFixture } from '../contract.ts';
import { dnsCheck } from '../harness.ts';

const SNIPPET = { name: 'snippet', script: '' };

/** Waits until pending callbacks have run. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

export function transactionContract(current: () => StoreFixture): void {
  describe('a transaction', () => {
    test('is atomic', async () => {
      const { store, mine } = current();
      const failing = store.transaction(async (tx) => {
        await tx.snippets.create(mine, SNIPPET);
        await tx.checks.create(mine, dnsCheck());
        expect(await tx.snippets.count(mine)).toBe(1);
        throw new Error('thought better of it');
      });
      await expect(failing).rejects.toThrow('thought better of it');
      expect(await store.snippets.count(mine)).toBe(0);
      expect(await store.checks.count(mine)).toBe(0);
      const { id } = await store.transaction((tx) => tx.snippets.create(mine, SNIPPET));
      expect(await store.snippets.get(mine, id)).toBeDefined();
    });

    // On a full disk, too, a write succeeds that changes no row.
    test('proves that the store can be written only if it changed rows', async () => {
      const { store, mine } = current();
      const before = store.writes();
      const deleted = (run: Pick<StoreTransaction, 'snippets'>) => run.snippets.delete(mine, 999_999);
      await deleted(store);
      await store.transaction(deleted);
      // A read in raw SQL returns a row, and no row that it changed.
      expect(await store.usedBytes()).toBeGreaterThan(0);
      expect(store.writes()).toBe(before);
      await store.snippets.create(mine, SNIPPET);
      await store.transaction((tx) => tx.snippets.create(mine, SNIPPET));
      expect(store.writes()).toBe(before + 2);
    });

    test('cannot be committed after a failed statement, even if the error was caught', async () => {
      const { store, mine } = current();
      await store.variables.create(mine, { key: 'A', value: '' });
      const spoilt = store.transaction(async (tx) => {
        await tx.snippets.create(mine, SNIPPET);
        await tx.variables.create(mine, { key: 'A', value: '' }).catch(() => {});
      });
      await expect(spoilt).rejects.toMatchObject({ reason: 'unique' });
      expect(await store.snippets.count(mine)).toBe(0);
    });

    test('runs its callbacks after the commit, and never after a rollback', async () => {
      const { store, mine } = current();
      const told: string[] = [];
      await store.transaction(async (tx) => {
        tx.onCommit(() => told.push('committed'));
        await tx.snippets.create(mine, SNIPPET);
        told.push('done');
      });
      const given = store.transaction(async (tx) => {
        tx.onCommit(() => told.push('never'));
        throw new Error('no');
      });
      await expect(given).rejects.toThrow('no');
      expect(told).toEqual(['done', 'committed']);
    });

    test('rejects statements outside it instead of deadlocking', async () => {
      const { store, mine } = current();
      const round = store.transaction(async () => store.snippets.count(mine));
      await expect(round).rejects.toThrow('inside a transaction');
      const nested = store.transaction(async () => store.transaction(async () => {}));
      await expect(nested).rejects.toThrow('inside a transaction');
      expect(await store.snippets.count(mine)).toBe(0);
    });

    test('lets work that it started use the store after its end', async () => {
      const { store, mine } = current();
      let later: Promise<number> | undefined;
      let release: () => void = () => {};
      const over = new Promise<void>((resolve) => {
        release = resolve;
      });
      await store.transaction(async () => {
        later = over.then(() => store.snippets.count(mine));
      });
      release();
      expect(await later).toBe(0);
    });

    test('rejects a statement after its end', async () => {
      const { store, mine } = current();
      const kept: StoreTransaction[] = [];
      await store.transaction(async (tx) => void kept.push(tx));
      const late = kept[0]?.snippets.create(mine, SNIPPET);
      await expect(late).rejects.toThrow();
      expect(await store.snippets.count(mine)).toBe(0);
    });

    test('does not include the statements of other requests', async () => {
      const { store, mine } = current();
      let undo: () => void = () => {};
      const waiting = new Promise<void>((resolve) => {
        undo = resolve;
      });
      const undone = store.transaction(async (tx) => {
        await tx.snippets.create(mine, { name: 'undone', script: '' });
        await waiting;
        throw new Error('undone');
      });
      undone.catch(() => {});
      const others = Array.from({ length: 20 }, (_, n) =>
        store.snippets.create(mine, { name: `${n}`, script: '' }),
      );
      await nextTurn();
      undo();
      await expect(undone).rejects.toThrow('undone');
      await Promise.all(others);
      const names = (await store.snippets.list(mine)).map(({ body }) => body.name);
      expect(names.sort()).toEqual(Array.from({ length: 20 }, (_, n) => `${n}`).sort());
    });

    test('is isolated from concurrent transactions', async () => {
      const { store, mine } = current();
      const { id } = await store.variables.create(mine, { key: 'COUNT', value: '0' });
      const increment = () =>
        store.variables.change(mine, id, (body) => ({ ...body, value: `${Number(body.value) + 1}` }));
      await Promise.all(Array.from({ length: 12 }, increment));
      expect((await store.variables.get(mine, id))?.body.value).toBe('12');
    });

    test('lets waiting transactions run one after the other', async () => {
      const { store, mine } = current();
      const many = Array.from({ length: 300 }, () =>
        store.transaction((tx) => tx.snippets.create(mine, SNIPPET), { isolation: 'read committed' }),
      );
      await Promise.all(many);
      expect(await store.snippets.count(mine)).toBe(300);
    });
  });

  describe('a value', () => {
    test('that is a boolean becomes 1 or 0', async () => {
      const { store, mine } = current();
      const { id } = await store.checks.create(mine, dnsCheck());
      const changed = await sql<{ muted: number }>`
        update checks set muted = ${true}, activated = ${false} where id = ${id} returning muted, activated
      `.execute(store.db);
      expect(changed.rows).toEqual([{ muted: 1, activated: 0 }]);
    });

    test('with a NUL, or NaN, is rejected, and the store remains usable', async () => {
      const { store, mine } = current();
      await expect(store.accounts.create('a\0b')).rejects.toThrow('NUL');
      await expect(store.checks.get(mine, 'a\0b')).rejects.toThrow('NUL');
      const timeless = store.checks.create(mine, dnsCheck(), { nextRunAt: Number.NaN });
      await expect(timeless).rejects.toThrow('NaN');
      expect(await store.accounts.list()).toHaveLength(2);
    });

    test('is read unchanged: long texts, all scripts, large instants', async () => {
      const { store, mine } = current();
      const name = `${'x'.repeat(100_000)} ☃ 𝒳 ' " \\ % ; --`;
      const { id } = await store.checks.create(mine, dnsCheck({ name }), {
        nextRunAt: Number.MAX_SAFE_INTEGER,
      });
      expect(await store.checks.get(mine, id)).toMatchObject({ name, nextRunAt: Number.MAX_SAFE_INTEGER });
    });

    test('is sorted by byte', async () => {
      const { store, mine } = current();
      await store.checks.create(mine, dnsCheck({ tags: ['b', 'é', 'A', 'a', 'B', '_'] }));
      const query = store.db.selectFrom('check_tags').select('tag').orderBy('tag');
      expect((await query.execute()).map(({ tag }) => tag)).toEqual(['A', 'B', '_', 'a', 'b', 'é']);
    });
  });
}
