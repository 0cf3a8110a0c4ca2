/** Reads the columns of checks that pages list, without their bodies. */
import { sql } from 'kysely';
import { type CheckStatus, idsByTags, type TagGroups } from './check-lists.ts';
import type { StoreContext } from './context.ts';

/** A check in a list of a page. */
export interface CheckOverview {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** Whether it runs: neither the check nor its group is deactivated. */
  readonly isActive: boolean;
  /** The verdict of its last finished session; null if none yet. */
  readonly status: CheckStatus | null;
  readonly groupName: string | null;
  /** Its own tags, sorted. */
  readonly tags: readonly string[];
}

export function checkOverview({ db, dialect }: StoreContext) {
  return {
    /** Returns the checks that match the tags, or all of an account, by name. */
    async list(accountId: string, matching: TagGroups | undefined): Promise<CheckOverview[]> {
      const collected =
        dialect === 'postgres' ? sql`cast(json_agg(tag) as text)` : sql`json_group_array(tag)`;
      const tagList = sql<string | null>`(select ${collected} from check_tags where check_id = checks.id)`;
      let query = db
        .selectFrom('checks')
        .select(['id', 'name', 'type', 'activated', 'status', 'group_id', tagList.as('tags')])
        .where('account_id', '=', accountId);
      if (matching !== undefined) query = query.where('id', 'in', await idsByTags(db, accountId, matching));
      const rows = await query.orderBy('name_folded').orderBy('id').execute();
      const groups = await db
        .selectFrom('check_groups')
        .select(['id', 'activated', 'body'])
        .where('account_id', '=', accountId)
        .execute();
      const groupsById = new Map(groups.map((group) => [group.id, group]));
      const nameOf = (body: string) => (JSON.parse(body) as { name: string }).name;
      return rows.map(({ id, name, type, activated, status, group_id, tags }) => {
        const group = group_id === null ? undefined : groupsById.get(group_id);
        return {
          ...{ id, name, type, status: status as CheckStatus | null },
          isActive: activated === 1 && group?.activated !== 0,
          groupName: group === undefined ? null : nameOf(group.body),
          tags: (JSON.parse(tags ?? '[]') as string[]).sort(),
        };
      });
    },
    /** Returns the IDs of the status page services whose incidents checks open. */
    async incidentServices(checkIds: readonly string[]): Promise<string[]> {
      if (checkIds.length === 0) return [];
      const path =
        dialect === 'postgres'
          ? sql<string | null>`body::json #>> '{triggerIncident,serviceId}'`
          : sql<string | null>`body ->> '$.triggerIncident.serviceId'`;
      const rows = await db
        .selectFrom('checks')
        .select(path.as('service'))
        .distinct()
        .where('id', 'in', checkIds)
        .execute();
      return rows.flatMap(({ service }) => service ?? []);
    },
  };
}
