/** Adds the setting of accounts to detect secrets in the output of scripts. */
import type { Migration } from './migration.ts';

export const secretDetection: Migration = {
  name: '011-secret-detection',
  async up(db, { bigint }) {
    await db.schema
      .alterTable('accounts')
      .addColumn('detects_secrets', bigint, (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
