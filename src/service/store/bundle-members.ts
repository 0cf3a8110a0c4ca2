/** Names the groups and services whose alerts share messages, and finds their checks. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';

const GROUP = 'group/';
const SERVICE = 'service/';

export const groupBundle = (id: number): string => `${GROUP}${id}`;
export const serviceBundle = (id: string): string => `${SERVICE}${id}`;

/** Returns the condition on the checks of a bundle. */
export function toColumns(bundle: string): RawBuilder<SqlBool> {
  if (bundle.startsWith(GROUP)) return sql`checks.group_id = ${Number(bundle.slice(GROUP.length))}`;
  const mention = `%"triggerIncident":{%"serviceId":"${bundle.slice(SERVICE.length)}"%`;
  // The alerts of a check in a group belong to the group.
  return sql`checks.group_id is null and checks.body like ${mention}`;
}
