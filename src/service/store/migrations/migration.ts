/** What a migration is, and the column types that both databases understand. */
import { type ColumnDefinitionBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import type { DialectName } from '../tables.ts';

/** What a column may hold. */
export type ColumnType = 'text' | 'integer' | 'bigint' | RawBuilder<unknown>;

/** The column types of one database. */
export interface Columns {
  /** Ordered by its bytes everywhere. */
  readonly text: ColumnType;
  readonly integer: ColumnType;
  /** Milliseconds since the epoch, and the keys of numbered tables. */
  readonly bigint: ColumnType;
  /** The type of a key that the database numbers; goes with `numbered`. */
  readonly numberedKey: ColumnType;
  readonly numbered: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  /** Lets a column of texts be null; its rows, its references and its indexes stay as they are. */
  readonly letBeNull: (db: Kysely<unknown>, table: string, column: string) => Promise<void>;
}

/** One step of the tables' history. Once released it never changes. */
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
    // SQLite numbers only what is called INTEGER; AUTOINCREMENT so that a deleted row's number never returns.
    numberedKey: isSqlite ? 'integer' : 'bigint',
    numbered: (column) =>
      isSqlite ? column.primaryKey().autoIncrement() : column.generatedAlwaysAsIdentity().primaryKey(),
    async letBeNull(db, table, column) {
      const [of, name] = [sql.table(table), sql.ref(column)];
      // SQLite itself can only make the table anew: libsql writes the column's definition again.
      const change = isSqlite
        ? sql`alter table ${of} alter column ${name} to ${name} text`
        : sql`alter table ${of} alter column ${name} drop not null`;
      await change.execute(db);
    },
  };
}
