/** Creates the table of browser sessions and of the single-use links that start them. */
import { createIndex, type Migration, table } from './migrate.ts';

export const signIns: Migration = {
  name: '028-sign-ins',
  async up(db, columns) {
    await table(db, columns, 'sign_ins', {
      hash: 'text primary key',
      key_id: 'text not null references api_keys.id',
      kind: 'text not null',
      path: 'text',
      created_at: 'bigint not null',
      expires_at: 'bigint not null',
    }).execute();
    await createIndex(db, 'sign_ins_of_key', 'sign_ins', 'key_id, kind, created_at');
    await createIndex(db, 'sign_ins_by_end', 'sign_ins', 'expires_at');
  },
};
