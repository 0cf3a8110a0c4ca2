/** Runs the pending migrations of a database. */
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../../base/clock.ts';
import { UsageError } from '../../../base/errors.ts';
import type { DialectName } from '../tables.ts';
import { columnsOf, type Migration } from './migration.ts';

/** Advisory lock that serializes the migrations of services that start at the same time. The number is arbitrary. */
const POSTGRES_LOCK = 5_047_433_214;

type History = {
  schema_migrations: { name: string; applied_at: number };
};

/**
 * Runs the pending migrations, each in its own transaction.
 * @throws UsageError if the database has an unknown migration, because a newer version created it.
 */
export async function migrate(
  db: Kysely<History>,
  dialect: DialectName,
  migrations: readonly Migration[],
  clock: Clock,
): Promise<void> {
  const columns = columnsOf(dialect);
  for (const migration of [undefined, ...migrations]) {
    await db.transaction().execute(async (tx) => {
      if (dialect === 'postgres') {
        // Migrations of large databases take long, and wait for those of another service.
        await sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`.execute(
          tx,
        );
        await sql`select pg_advisory_xact_lock(${POSTGRES_LOCK})`.execute(tx);
      }
      await tx.schema
        .createTable('schema_migrations')
        .ifNotExists()
        .addColumn('name', columns.text, (column) => column.primaryKey())
        .addColumn('applied_at', columns.bigint, (column) => column.notNull())
        .execute();
      const applied = (await tx.selectFrom('schema_migrations').select('name').execute()).map(
        ({ name }) => name,
      );
      assertKnown(applied, migrations);
      if (migration === undefined || applied.includes(migration.name)) return;
      await migration.up(tx as unknown as Kysely<unknown>, columns);
      await tx
        .insertInto('schema_migrations')
        .values({ name: migration.name, applied_at: clock.now() })
        .execute();
    });
  }
}

function assertKnown(applied: readonly string[], migrations: readonly Migration[]): void {
  const unknown = applied.filter((name) => !migrations.some((migration) => migration.name === name));
  if (unknown.length === 0) return;
  throw new UsageError(
    `the database was created by a newer version of sonde (unknown migrations: ${unknown.join(', ')})`,
    {
      hint: 'use that version, or restore a backup that was created with this version',
    },
  );
}
