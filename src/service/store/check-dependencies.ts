/** Stores which checks depend on which, beside the lists in their bodies, and follows the dependencies. */
import { sql } from 'kysely';
import type { StoreContext } from './context.ts';
import { prepareSql } from './prepared-statements.ts';

/** More dependencies of a check, direct and indirect, are not followed. */
const MAX_FOLLOWED = 100;

/** A check that holds an alert. */
interface Holder {
  readonly checkId: string;
  readonly accountId: string;
}

interface Edge {
  readonly checkId: string;
  readonly dependsOnId: string;
}

// Usually no alert is held: then the index of held alerts is empty, and the rest is not evaluated.
const selectHolders = prepareSql(
  (
    checkIds: readonly string[],
  ) => sql<Holder>`select check_id as "checkId", account_id as "accountId" from alert_states
    where held_until is not null and check_id in (
      with recursive reached (id) as (
        select check_id from check_dependencies where depends_on_id in (${sql.join(checkIds)})
        union
        select next.check_id from check_dependencies as next join reached on next.depends_on_id = reached.id
      )
      select id from reached
    )
    order by check_id`,
);

export function checkDependencies(context: StoreContext) {
  const { db } = context;
  const edges = db
    .selectFrom('check_dependencies')
    .select(['check_id as checkId', 'depends_on_id as dependsOnId'])
    .orderBy('depends_on_id')
    .orderBy('check_id');

  return {
    /** Replaces the direct dependencies of a check. */
    async set(checkId: string, ids: readonly string[]): Promise<void> {
      await db.deleteFrom('check_dependencies').where('check_id', '=', checkId).execute();
      const rows = [...new Set(ids)].map((id) => ({ check_id: checkId, depends_on_id: id }));
      if (rows.length > 0) await db.insertInto('check_dependencies').values(rows).execute();
    },
    /** Returns the direct dependencies of checks. */
    of: (checkIds: readonly string[]): Promise<Edge[]> => edges.where('check_id', 'in', checkIds).execute(),
    /** Returns the checks that depend directly on a check. */
    async dependents(checkId: string): Promise<string[]> {
      const found = await edges.where('depends_on_id', '=', checkId).execute();
      return found.map((edge) => edge.checkId);
    },
    /** Returns the direct and indirect dependencies of a check, up to a limit. Ends also if there is a cycle. */
    async all(checkId: string): Promise<string[]> {
      const { rows } = await sql<{ id: string }>`with recursive reached (id) as (
          select depends_on_id from check_dependencies where check_id = ${checkId}
          union
          select next.depends_on_id from check_dependencies as next join reached on next.check_id = reached.id
        )
        select id from reached where id <> ${checkId} limit ${MAX_FOLLOWED}`.execute(db);
      return rows.map(({ id }) => id);
    },
    /** Returns the checks that hold an alert and depend, directly or not, on one of these. */
    async holders(checkIds: readonly string[]): Promise<Holder[]> {
      return checkIds.length === 0 ? [] : selectHolders(context, checkIds);
    },
  };
}

/**
 * Returns the checks on a way from a check back to itself, if it gets these dependencies: the first is the dependency,
 * the last the check. Undefined: there is no such way.
 */
export async function findCycle(
  { of }: Pick<ReturnType<typeof checkDependencies>, 'of'>,
  checkId: string,
  dependsOn: string,
): Promise<string[] | undefined> {
  const previous = new Map<string, string | undefined>([[dependsOn, undefined]]);
  for (let level = [dependsOn]; level.length > 0; ) {
    if (level.includes(checkId)) {
      const path: string[] = [];
      for (let at: string | undefined = checkId; at !== undefined; at = previous.get(at)) path.unshift(at);
      return path;
    }
    const next: string[] = [];
    for (const edge of await of(level)) {
      if (previous.has(edge.dependsOnId)) continue;
      previous.set(edge.dependsOnId, edge.checkId);
      next.push(edge.dependsOnId);
    }
    level = next;
  }
  return undefined;
}
