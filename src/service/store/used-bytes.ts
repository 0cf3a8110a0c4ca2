/** Measures the database. On SQLite free pages do not count, because SQLite reuses them before the file grows. */
import { sql } from 'kysely';
import type { DialectName, Executor } from './tables.ts';

const SIZE = {
  sqlite: sql<{ bytes: number }>`select (page_count - freelist_count) * page_size as bytes
    from pragma_page_count(), pragma_freelist_count(), pragma_page_size()`,
  postgres: sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`,
} as const;

/** Returns the size of the database in bytes. */
export async function usedBytes(db: Executor, dialect: DialectName): Promise<number> {
  const { rows } = await SIZE[dialect].execute(db);
  return Number(rows[0]?.bytes ?? 0);
}
