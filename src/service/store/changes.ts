/**
 * Counts what is written to each table of a store that no other process writes to: what was read stands while the counts of
 * its tables do. On Postgres others write too, and nothing is counted.
 */
import type { Database } from './tables.ts';

export type TableName = keyof Database;

export interface Changes {
  /** Another number after each write to one of the tables, from before the write can be read. */
  of(tables: readonly TableName[]): number;
}

/** What a connection tells of the statements that it runs. */
export interface ChangeCounter extends Changes {
  /** To be called before each run of the statement; undefined where it writes nothing. */
  noticing(statement: string): (() => void) | undefined;
}

const READS = /^\s*(?:select|begin|commit|rollback|savepoint|release|pragma|explain)\b/i;
const WRITES = /^\s*(?:insert(?: or \w+)? into|update)\s+"?(\w+)"?/i;

/** What a statement does with the lists that it names first (`with … as (…)`). */
function deedOf(statement: string): string {
  if (!/^\s*with\b/i.test(statement)) return statement;
  let depth = 0;
  for (const { 0: word, index } of statement.matchAll(/[()]|\b(?:select|insert|update|delete)\b/gi)) {
    if (word === '(') depth += 1;
    else if (word === ')') depth -= 1;
    else if (depth === 0) return statement.slice(index);
  }
  return statement;
}

/** `childrenOf`: the tables whose rows go with those of another, or name them; asked anew where tables are made or changed. */
export function changeCounter(childrenOf: (table: string) => readonly string[]): ChangeCounter {
  const counts = new Map<string, number>();
  const reached = new Map<string, readonly string[]>();
  /** What has no name is in every sum. */
  let everything = 0;

  /** The table and all that lose rows with it. */
  function reach(table: string): readonly string[] {
    const known = reached.get(table);
    if (known !== undefined) return known;
    const found = new Set([table]);
    for (const parent of found) for (const child of childrenOf(parent)) found.add(child);
    reached.set(table, [...found]);
    return [...found];
  }
  const count = (table: string) => counts.set(table, (counts.get(table) ?? 0) + 1);

  return {
    of: (tables) => tables.reduce((sum, table) => sum + (counts.get(table) ?? 0), everything),
    noticing(statement) {
      const deed = deedOf(statement);
      if (READS.test(deed)) return undefined;
      const written = WRITES.exec(deed)?.[1];
      if (written !== undefined) return () => count(written);
      const deleted = /^\s*delete from\s+"?(\w+)"?/i.exec(deed)?.[1];
      if (deleted !== undefined) return () => reach(deleted).forEach(count);
      // Whatever else it is: it may have changed all, the tables themselves too.
      return () => {
        everything += 1;
        reached.clear();
      };
    },
  };
}
