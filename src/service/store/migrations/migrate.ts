/** Defines migrations, builds their tables on both databases, and runs the pending ones. */
import {
  type ColumnDefinitionBuilder,
  type CreateTableBuilder,
  type Kysely,
  type RawBuilder,
  sql,
} from 'kysely';
import type { Clock } from '../../../base/clock.ts';
import { UsageError } from '../../../base/errors.ts';
import type { DialectName } from '../context.ts';

/** A schema change. It must never change once released. */
export interface Migration {
  readonly name: string;
  /** Runs in a separate transaction. */
  up(db: Kysely<unknown>, columns: Columns): Promise<void>;
}

type ColumnType = 'text' | 'integer' | 'bigint' | RawBuilder<unknown>;

/** The column types of one database. */
export interface Columns {
  /** Sorted by byte on both databases. */
  readonly text: ColumnType;
  readonly integer: ColumnType;
  /** For milliseconds since the epoch, and for keys of numbered tables. */
  readonly bigint: ColumnType;
  readonly numberedKey: ColumnType;
  readonly numbered: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  /** Drops the `not null` constraint of a text column. Rows, references and indexes do not change. */
  readonly dropNotNull: (db: Kysely<unknown>, table: string, column: string) => Promise<void>;
}

export function columnsOf(dialect: DialectName): Columns {
  const isSqlite = dialect === 'sqlite';
  return {
    text: isSqlite ? 'text' : sql`text collate "C"`,
    integer: 'integer',
    bigint: 'bigint',
    // SQLite numbers only INTEGER keys. AUTOINCREMENT prevents reuse of the numbers of deleted rows.
    numberedKey: isSqlite ? 'integer' : 'bigint',
    numbered: (column) =>
      isSqlite ? column.primaryKey().autoIncrement() : column.generatedAlwaysAsIdentity().primaryKey(),
    async dropNotNull(db, table, column) {
      const [of, name] = [sql.table(table), sql.ref(column)];
      // SQLite has no such statement; libsql can redefine the column.
      const change = isSqlite
        ? sql`alter table ${of} alter column ${name} to ${name} text`
        : sql`alter table ${of} alter column ${name} drop not null`;
      await change.execute(db);
    },
  };
}

/**
 * A column as in SQL, such as `text not null references accounts.id`. Rows are deleted with the row that they reference.
 * `numbered key`: a primary key that the database numbers.
 */
type ColumnDefinition = 'numbered key' | `${'text' | 'integer' | 'bigint'}${'' | ` ${string}`}`;
export type ColumnDefinitions = Readonly<Record<string, ColumnDefinition>>;
export type Table = CreateTableBuilder<string, string>;

function addConstraints(column: ColumnDefinitionBuilder, definition: string): ColumnDefinitionBuilder {
  const [, referenced] = / references ([\w.]+)/.exec(definition) ?? [];
  const [, standard] = / default (\d+)/.exec(definition) ?? [];
  let built = column;
  if (definition.includes(' primary key')) built = built.primaryKey();
  if (definition.includes(' not null')) built = built.notNull();
  if (definition.includes(' unique')) built = built.unique();
  if (standard !== undefined) built = built.defaultTo(Number(standard));
  if (referenced !== undefined) built = built.references(referenced).onDelete('cascade');
  return built;
}

const typeOf = (columns: Columns, definition: string): ColumnType =>
  columns[definition.split(' ')[0] as 'text' | 'integer' | 'bigint'];

/** Returns a table with these columns, to add constraints and execute. */
export function table(
  db: Kysely<unknown>,
  columns: Columns,
  name: string,
  definitions: ColumnDefinitions,
): Table {
  let built: Table = db.schema.createTable(name);
  for (const [column, definition] of Object.entries(definitions))
    built =
      definition === 'numbered key'
        ? built.addColumn(column, columns.numberedKey, columns.numbered)
        : built.addColumn(column, typeOf(columns, definition), (added) => addConstraints(added, definition));
  return built;
}

/** Adds columns to an existing table. */
export async function addColumns(
  db: Kysely<unknown>,
  columns: Columns,
  name: string,
  definitions: ColumnDefinitions,
): Promise<void> {
  for (const [column, definition] of Object.entries(definitions))
    await db.schema
      .alterTable(name)
      .addColumn(column, typeOf(columns, definition), (added) => addConstraints(added, definition))
      .execute();
}

/** Adds a reference within the account: `column` references the ID of a row that the same account owns. */
export const referenceOwned = (built: Table, constraint: string, column: string, to: string): Table =>
  built.addForeignKeyConstraint(constraint, ['account_id', column], to, ['account_id', 'id'], (key) =>
    key.onDelete('cascade'),
  );

/** Creates an index on the comma-separated columns. */
export async function createIndex(
  db: Kysely<unknown>,
  name: string,
  on: string,
  columns: string,
  isUnique = false,
): Promise<void> {
  const index = db.schema.createIndex(name).on(on).columns(columns.split(', '));
  await (isUnique ? index.unique() : index).execute();
}

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
    { hint: 'use that version, or restore a backup that was created with this version' },
  );
}
