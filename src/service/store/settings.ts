/** Stores service-wide settings that transactions need: the secret for signed links and the public URL. */
import type { StoreContext } from './context.ts';
import { makeSecretText } from './secrets.ts';

export function settings({ db }: StoreContext) {
  const read = async (name: string): Promise<string | undefined> =>
    (await db.selectFrom('service_settings').select('value').where('name', '=', name).executeTakeFirst())
      ?.value;
  return {
    /** Returns the secret that signs links: 256 bits, shared by all processes on this store. */
    async linkSecret(): Promise<string> {
      const secret = await read('link-secret');
      if (secret !== undefined) return secret;
      await db
        .insertInto('service_settings')
        .values({ name: 'link-secret', value: makeSecretText() })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
      return (await read('link-secret')) ?? '';
    },
    /** Writes an unused value to test whether the store accepts writes. */
    async touch(): Promise<void> {
      // The value changes each time because SQLite does not write an unchanged row.
      const value = makeSecretText();
      await db
        .insertInto('service_settings')
        .values({ name: 'write-test', value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
    /** Returns the base URL of links in messages (`https://status.example.com`); undefined before the first start. */
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
