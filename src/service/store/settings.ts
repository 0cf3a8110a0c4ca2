/** Stores service-wide settings that transactions need: the secret for signed links and the public URL. */
import type { Executor, StoreContext } from './context.ts';
import { makeSecretText } from './secrets.ts';

export async function readSetting(db: Executor, name: string): Promise<string | undefined> {
  const query = db.selectFrom('service_settings').select('value').where('name', '=', name);
  return (await query.executeTakeFirst())?.value;
}

export async function writeSetting(db: Executor, name: string, value: string): Promise<void> {
  await db
    .insertInto('service_settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

export function settings({ db }: StoreContext) {
  return {
    /** Returns the secret that signs links: 256 bits, shared by all processes on this store. */
    async linkSecret(): Promise<string> {
      const secret = await readSetting(db, 'link-secret');
      if (secret !== undefined) return secret;
      await db
        .insertInto('service_settings')
        .values({ name: 'link-secret', value: makeSecretText() })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
      return (await readSetting(db, 'link-secret')) ?? '';
    },
    /** Writes an unused value to test whether the store accepts writes: a new one, as SQLite does not write an unchanged row. */
    touch: () => writeSetting(db, 'write-test', makeSecretText()),
    /** Returns the base URL of links in messages (`https://status.example.com`); undefined before the first start. */
    publicUrl: () => readSetting(db, 'public-url'),
    setPublicUrl: (value: string) => writeSetting(db, 'public-url', value),
  };
}
