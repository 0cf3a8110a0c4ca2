/** What holds for the whole service and must be known within transactions: the secret of its links, where people reach it. */
import type { StoreContext } from './context.ts';
import { makeSecretText } from './secrets.ts';

export type Settings = ReturnType<typeof settings>;

export function settings({ db }: StoreContext) {
  const read = async (name: string): Promise<string | undefined> =>
    (await db.selectFrom('service_settings').select('value').where('name', '=', name).executeTakeFirst())
      ?.value;
  return {
    /** What capabilities in links are made with: 256 bits, the same for all processes over this store. */
    async linkSecret(): Promise<string> {
      const known = await read('link-secret');
      if (known !== undefined) return known;
      await db
        .insertInto('service_settings')
        .values({ name: 'link-secret', value: makeSecretText() })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
      return (await read('link-secret')) ?? '';
    },
    /** Writes a value that nobody reads, to see whether the store accepts a write. */
    async touch(): Promise<void> {
      // Another value each time: SQLite does not write a row that stays the same.
      const value = makeSecretText();
      await db
        .insertInto('service_settings')
        .values({ name: 'write-test', value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
    /** `https://status.example.com`: what links in messages begin with; undefined before the first start. */
    publicUrl: () => read('public-url'),
    async setPublicUrl(value: string): Promise<void> {
      await db
        .insertInto('service_settings')
        .values({ name: 'public-url', value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
  };
}
