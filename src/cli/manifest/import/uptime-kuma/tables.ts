/** Describes the data of Uptime Kuma as the rows of its database. A backup file is converted to the same form. */
import { explainExcess } from '../../../../base/depth.ts';
import { UsageError } from '../../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../../base/object.ts';

export type Row = JsonObject;

export const TABLES = [
  'monitor',
  'notification',
  'monitor_notification',
  'monitor_tag',
  'status_page',
  'status_page_cname',
  'group',
  'monitor_group',
  'maintenance',
  'monitor_maintenance',
  'maintenance_status_page',
  'setting',
  'incident',
] as const;
export type Table = (typeof TABLES)[number];
/** The rows by table. Tags have the name of their tag. A table that an old version lacks is empty. */
export type KumaTables = Readonly<Record<Table, readonly Row[]>> & {
  /** How many rows other tables have, or other lists of a backup. */
  readonly others: ReadonlyMap<string, number>;
};

export const textOf = (row: Row, column: string): string => {
  const value = row[column];
  return value === null || value === undefined ? '' : String(value);
};

export const numberOf = (row: Row, column: string, fallback = 0): number => {
  const value = row[column];
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : fallback;
};

/** SQLite has 0 and 1, a backup true and false. */
export const flagOf = (row: Row, column: string, fallback = false): boolean => {
  const value = row[column];
  return value === null || value === undefined ? fallback : value === true || value === 1 || value === '1';
};

/** Returns the value of a column with JSON. A backup has the value itself. Undefined: none, or not JSON. Throws UsageError if it is nested too deep. */
export function jsonOf(row: Row, column: string): unknown {
  const value = row[column];
  if (typeof value !== 'string') return value ?? undefined;
  const excess = explainExcess(value);
  if (excess !== undefined)
    throw new UsageError(`the column ${column} of the row ${textOf(row, 'id')} ${excess}`);
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
}

const toColumn = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const toRow = (value: JsonObject): Row =>
  Object.fromEntries(Object.entries(value).map(([name, item]) => [toColumn(name), item]));

const rowsOf = (value: unknown): readonly JsonObject[] =>
  (Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []).filter(isObject);

/** Returns whether a JSON value is a backup of Uptime Kuma. */
export const isBackup = (value: unknown): value is JsonObject => isObject(value) && 'monitorList' in value;

/** Returns the tables of a backup. Backups have neither status pages nor maintenance. */
export function backupTables(backup: JsonObject): KumaTables {
  const monitors = rowsOf(backup.monitorList);
  const links = monitors.flatMap((monitor) =>
    Object.entries(isObject(monitor.notificationIDList) ? monitor.notificationIDList : {})
      .filter(([, isLinked]) => isLinked === true)
      .map(([id]) => ({ monitor_id: monitor.id, notification_id: Number(id) })),
  );
  const tags = monitors.flatMap((monitor) =>
    rowsOf(monitor.tags).map((tag) => ({ monitor_id: monitor.id, name: tag.name, value: tag.value })),
  );
  const empty = Object.fromEntries(TABLES.map((name) => [name, [] as readonly Row[]])) as Record<
    Table,
    readonly Row[]
  >;
  const { version: _, monitorList: __, notificationList: ___, ...others } = backup;
  return {
    ...empty,
    others: new Map(Object.entries(others).map(([name, value]) => [name, rowsOf(value).length || 1])),
    monitor: monitors.map((monitor) => {
      const { accepted_statuscodes: codes, ...row } = toRow(monitor);
      return { ...row, accepted_statuscodes_json: codes };
    }),
    notification: rowsOf(backup.notificationList).map(toRow),
    monitor_notification: links,
    monitor_tag: tags,
  };
}
