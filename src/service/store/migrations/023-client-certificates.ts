/** Creates the table of client certificates, which checks present to hosts. */
import { createIndex, type Migration, table } from './migrate.ts';

export const clientCertificates: Migration = {
  name: '023-client-certificates',
  async up(db, columns) {
    await table(db, columns, 'client_certificates', {
      id: 'text primary key',
      account_id: 'text not null references accounts.id',
      body: 'text not null',
      created_at: 'bigint not null',
      updated_at: 'bigint',
    }).execute();
    const columnsOfList = 'account_id, created_at, id';
    await createIndex(db, 'client_certificates_of_account', 'client_certificates', columnsOfList);
  },
};
