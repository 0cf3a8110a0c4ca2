/** Defines migrations, and column types for both databases. */
import { type ColumnDefinitionBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import type { DialectName } from '../tables.ts';

/** The type of a column. */
export type ColumnType = 'text' | 'integer' | 'bigint' | RawBuilder<unknown>;

/** The column types of one database. */
export interface Columns {
  /** Sorted by byte on both databases. */
  readonly text: ColumnType;
  readonly integer: ColumnType;
  /** For milliseconds since the epoch, and for keys of numbered tables. */
  readonly bigint: ColumnType;
  /** The type of a key that the database numbers; use it with `numbered`. */
  readonly numberedKey: ColumnType;
  readonly numbered: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  /** Drops the `not null` constraint of a text column. Rows, references and indexes do not change. */
  readonly dropNotNull: (db: Kysely<unknown>, table: string, column: string) => Promise<void>;
}

/** A schema change. It must never change once released. */
export interface Migration {
  readonly name: string;
  /** Runs in a transaction of its own. */
  up(db: Kysely<unknown>, columns: Columns): Promise<void>;
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
