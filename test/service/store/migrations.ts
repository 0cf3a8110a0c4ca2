/** How a store's tables come about, whatever database is underneath. */
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/base/errors.ts';
import { openStore, type StoreLocation } from '../../../src/service/store/index.ts';
import { MIGRATIONS } from '../../../src/service/store/migrations/index.ts';
import type { Migration } from '../../../src/service/store/migrations/migration.ts';
import { dependencies } from './harness.ts';

const next: Migration = {
  name: '999-next',
  async up(db, { text }) {
    await db.schema.createTable('next_things').addColumn('id', text).execute();
  },
};

export function migrationContract(place: () => Promise<StoreLocation>): void {
  describe('migrations', () => {
    test('keep what is there, and run once', async () => {
      const at = await place();
      const before = await openStore(at, dependencies());
      const { id } = await before.accounts.create('kept');
      await before.close();
      for (let again = 0; again < 2; again += 1) {
        const after = await openStore(at, dependencies(), [...MIGRATIONS, next]);
        expect(await after.accounts.get(id)).toMatchObject({ name: 'kept' });
        await after.close();
      }
    });

    test('of a newer program are refused by name, and the store is left as it is', async () => {
      const at = await place();
      await (await openStore(at, dependencies(), [...MIGRATIONS, next])).close();
      const older = openStore(at, dependencies());
      await expect(older).rejects.toThrow(UsageError);
      await expect(older).rejects.toThrow('newer sonde (it has had 999-next)');
      await (await openStore(at, dependencies(), [...MIGRATIONS, next])).close();
    });

    test('that fail leave nothing behind', async () => {
      const at = await place();
      const failing: Migration = {
        ...next,
        async up(db, columns) {
          await next.up(db, columns);
          throw new Error('half way');
        },
      };
      await expect(openStore(at, dependencies(), [...MIGRATIONS, failing])).rejects.toThrow('half way');
      await (await openStore(at, dependencies(), [...MIGRATIONS, next])).close();
    });
  });
}
