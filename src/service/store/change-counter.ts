/**
 * Counts the writes to each table of a database that no other process writes to: cached data is valid while the counts of
 * its tables do not change. On Postgres other processes write too, and nothing is counted.
 */
import type { Database } from './context.ts';

export type TableName = keyof Database;

export interface ChangeCounts {
  /** Returns a number that changes with each write to one of the tables, before the write is visible. */
  sum(tables: readonly TableName[]): number;
}

/** Counts the statements that a connection runs. */
export interface ChangeCounter extends ChangeCounts {
  /** Returns a function to call before each run of the statement; undefined if the statement writes nothing. */
  counterFor(statement: string): (() => void) | undefined;
}

const READS = /^\s*(?:select|begin|commit|rollback|savepoint|release|pragma|explain)\b/i;
const WRITES = /^\s*(?:insert(?: or \w+)? into|update)\s+"?(\w+)"?/i;

/** Returns the statement without its common table expressions (`with … as (…)`). */
function mainClauseOf(statement: string): string {
  if (!/^\s*with\b/i.test(statement)) return statement;
  let depth = 0;
  for (const { 0: word, index } of statement.matchAll(/[()]|\b(?:select|insert|update|delete)\b/gi)) {
    if (word === '(') depth += 1;
    else if (word === ')') depth -= 1;
    else if (depth === 0) return statement.slice(index);
  }
  return statement;
}

/** `childrenOf` returns the tables with a foreign key to a table. Its results are cached until the schema may have changed. */
export function createChangeCounter(childrenOf: (table: string) => readonly string[]): ChangeCounter {
  const counts = new Map<string, number>();
  const affected = new Map<string, readonly string[]>();
  /** Number of statements that may have changed every table. */
  let unknownChanges = 0;

  /** Returns the table and all tables that may lose rows with it. */
  function affectedBy(table: string): readonly string[] {
    const known = affected.get(table);
    if (known !== undefined) return known;
    const tables = new Set([table]);
    for (const parent of tables) for (const child of childrenOf(parent)) tables.add(child);
    affected.set(table, [...tables]);
    return [...tables];
  }
  const count = (table: string) => counts.set(table, (counts.get(table) ?? 0) + 1);

  return {
    sum: (tables) => tables.reduce((sum, table) => sum + (counts.get(table) ?? 0), unknownChanges),
    counterFor(statement) {
      const clause = mainClauseOf(statement);
      if (READS.test(clause)) return undefined;
      const written = WRITES.exec(clause)?.[1];
      if (written !== undefined) return () => count(written);
      const deleted = /^\s*delete from\s+"?(\w+)"?/i.exec(clause)?.[1];
      if (deleted !== undefined) return () => affectedBy(deleted).forEach(count);
      // An unknown statement may have changed every table and the schema.
      return () => {
        unknownChanges += 1;
        affected.clear();
      };
    },
  };
}
