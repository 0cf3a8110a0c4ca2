/** Tests which tables a statement counts for; unknown statements count for all. */
import { expect, it } from 'vitest';
import { createChangeCounter, type TableName } from '../../../src/service/store/change-counter.ts';

const TABLES = ['checks', 'check_sessions', 'results'] as const;
/** Deleting a check deletes its sessions, and deleting a session its results. */
const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  checks: ['check_sessions'],
  check_sessions: ['results'],
};

/** Returns the tables that a statement counts for. */
function tablesCountedBy(statement: string): readonly TableName[] {
  const changes = createChangeCounter((table) => CHILDREN[table] ?? []);
  const before = TABLES.map((table) => changes.sum([table]));
  changes.counterFor(statement)?.();
  return TABLES.filter((table, place) => changes.sum([table]) !== before[place]);
}

it.each([
  ['select * from checks', []],
  ['  with wanted (id) as (values (?), (?)) select * from wanted cross join checks', []],
  ['insert into "results" ("id") values (?)', ['results']],
  ['update "checks" set "name" = ?', ['checks']],
  [
    'with taking (id, next) as (values (?, cast(? as bigint))) update checks set next_run_at = next from taking',
    ['checks'],
  ],
  [
    'with a (id) as (select id from checks), b as (select 1) insert into "results" select * from a',
    ['results'],
  ],
  ['delete from "check_sessions" where "id" = ?', ['check_sessions', 'results']],
  [
    'with old (id) as (select id from checks where (a)) delete from "checks" where id in (select id from old)',
    TABLES,
  ],
  ['with a as (select 1', TABLES],
  ['alter table "checks" add column "x"', TABLES],
] as const)('%s', (statement, tables) => {
  expect(tablesCountedBy(statement)).toEqual(tables);
});

it('caches foreign keys until the schema may have changed', () => {
  let asked = 0;
  const changes = createChangeCounter(() => {
    asked += 1;
    return [];
  });
  const run = (statement: string) => changes.counterFor(statement)?.();
  run('delete from "results"');
  run('with a (id) as (values (?)) update checks set x = 1 from a');
  run('delete from "results"');
  expect(asked).toBe(1);
  run('drop table "results"');
  run('delete from "results"');
  expect(asked).toBe(2);
});
