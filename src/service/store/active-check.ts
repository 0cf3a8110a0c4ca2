/** Matches checks that run: neither the check nor its group is deactivated. */
import { type SqlBool, sql } from 'kysely';

/** Returns the condition for a table, or its alias, with the rows of `checks`. */
export const isActiveCheck = (checks: string) => sql<SqlBool>`(${sql.ref(`${checks}.activated`)} = 1
  and not exists (select 1 from check_groups
    where check_groups.id = ${sql.ref(`${checks}.group_id`)} and check_groups.activated = 0))`;
