/** Reads the database or a backup of Uptime Kuma. */
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { describeExcess, findExcess } from '../../../../base/depth.ts';
import { UsageError } from '../../../../base/errors.ts';
import { backupTables, isBackup, type KumaTables, type Row, TABLES, type Table } from './tables.ts';

const SQLITE_MAGIC = 'SQLite format 3\0';

/** Reads a file: `path` is absolute, `shown` as the user named it. Throws UsageError for any other file. */
export async function readKuma(
  path: string,
  shown: string,
  readText: (name: string) => Promise<string>,
): Promise<KumaTables> {
  if (await isDatabase(path)) return readDatabase(path, shown);
  const text = await readText(shown);
  const excess = findExcess(text);
  if (excess) throw new UsageError(`${shown}:${excess.line}:${excess.column}: ${describeExcess()}`);
  let backup: unknown;
  try {
    backup = JSON.parse(text);
  } catch {
    backup = undefined;
  }
  if (isBackup(backup)) return backupTables(backup);
  throw new UsageError(`${shown} is neither a database nor a backup of Uptime Kuma`, {
    hint: 'pass kuma.db of its data folder, or the JSON file of "Settings > Backup > Export"',
  });
}

async function isDatabase(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(SQLITE_MAGIC.length),
      0,
      SQLITE_MAGIC.length,
      0,
    );
    return buffer.toString('latin1', 0, bytesRead) === SQLITE_MAGIC;
  } catch {
    return false;
  } finally {
    await file.close();
  }
}

/** Tables of results, of users and of the database itself, besides those that are read. */
const BOOKKEEPING = new RegExp(
  `^(?:${[...TABLES, 'tag', 'user', 'api_key', 'heartbeat', 'stat_\\w+', 'important_heartbeat', 'notification_sent_history', 'monitor_tls_info', 'domain_expiry', 'maintenance_timeslot', 'knex_\\w+', 'sqlite_\\w+', 'session'].join('|')})$`,
);

/** Tags have their name in another table. */
const QUERIES: Partial<Record<Table, string>> = {
  monitor_tag: 'SELECT monitor_tag.*, tag.name FROM monitor_tag JOIN tag ON tag.id = monitor_tag.tag_id',
};

/**
 * Reads a database without a change to it or to its folder. libsql ignores its option `readonly`, so a URI says it. A
 * database without a write-ahead log cannot change meanwhile, and then SQLite needs no files beside it.
 */
async function readDatabase(path: string, shown: string): Promise<KumaTables> {
  const { default: Database } = await import('libsql');
  const immutable = existsSync(`${path}-wal`) ? '' : '&immutable=1';
  try {
    const database = new Database(`${pathToFileURL(path)}?mode=ro${immutable}`);
    try {
      const known = new Set(
        database
          .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
          .all()
          .map((row) => (row as Row).name),
      );
      if (!known.has('monitor'))
        throw new UsageError(`${shown} is not a database of Uptime Kuma: it has no monitors`);
      const read = (table: Table): readonly Row[] =>
        known.has(table)
          ? (database.prepare(QUERIES[table] ?? `SELECT * FROM "${table}"`).all() as readonly Row[])
          : [];
      const others = [...known].map(String).filter((name) => !BOOKKEEPING.test(name));
      const count = (name: string): number =>
        Number((database.prepare(`SELECT count(*) AS rows FROM "${name}"`).get() as Row).rows);
      return {
        ...(Object.fromEntries(TABLES.map((table) => [table, read(table)])) as Record<Table, readonly Row[]>),
        others: new Map(others.map((name) => [name, count(name)])),
      };
    } finally {
      database.close();
    }
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`cannot read ${shown}: ${reason}`, {
      cause,
      hint: 'stop Uptime Kuma, copy kuma.db with kuma.db-wal, and import the copy',
    });
  }
}
