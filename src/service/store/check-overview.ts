/** Reads the columns of checks that pages list, without their bodies. */
import { sql } from 'kysely';
import { type CheckStatus, idsByTags, type TagGroups } from './check-lists.ts';
import type { StoreContext } from './context.ts';
import { isValidId } from './documents.ts';
import { isOneOf } from './is-one-of.ts';

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

interface Row extends Pick<CheckOverview, 'id' | 'name' | 'type' | 'groupName'> {
  readonly activated: number;
  readonly groupActivated: number | null;
  readonly status: string | null;
  readonly tags: string | null;
}

const toOverview = ({ activated, groupActivated, status, tags, ...check }: Row): CheckOverview => ({
  ...check,
  status: status as CheckStatus | null,
  isActive: activated === 1 && groupActivated !== 0,
  tags: (JSON.parse(tags ?? '[]') as string[]).sort(),
});

export function checkOverview({ db, dialect }: StoreContext) {
  const isPostgres = dialect === 'postgres';
  const tagList = isPostgres ? sql`cast(json_agg(tag) as text)` : sql`json_group_array(tag)`;
  const groupName = isPostgres
    ? sql<string | null>`check_groups.body::json ->> 'name'`
    : sql<string | null>`check_groups.body ->> '$.name'`;
  const serviceOf = isPostgres
    ? sql<string | null>`body::json #>> '{triggerIncident,serviceId}'`
    : sql<string | null>`body ->> '$.triggerIncident.serviceId'`;
  const select = () =>
    db
      .selectFrom('checks')
      .leftJoin('check_groups', 'check_groups.id', 'checks.group_id')
      .select(['checks.id', 'checks.name', 'checks.type', 'checks.activated', 'checks.status'])
      .select(['check_groups.activated as groupActivated', groupName.as('groupName')])
      .select(sql<string | null>`(select ${tagList} from check_tags where check_id = checks.id)`.as('tags'));

  return {
    /** Returns the checks that match the tags, or all of an account, by name. */
    async list(accountId: string, tags: TagGroups | undefined): Promise<CheckOverview[]> {
      let query = select().where('checks.account_id', '=', accountId);
      if (tags !== undefined) query = query.where('checks.id', 'in', await idsByTags(db, accountId, tags));
      const rows = await query.orderBy('checks.name_folded').orderBy('checks.id').execute();
      return rows.map(toOverview);
    },
    /** Returns a check, or a group with its checks, of an account or of any; undefined if there is none. */
    async subject(
      kind: 'check' | 'group',
      id: string,
      accountId: string | undefined,
    ): Promise<{ readonly name: string; readonly checks: readonly CheckOverview[] } | undefined> {
      if (kind === 'check') {
        let query = select().where('checks.id', '=', id);
        if (accountId !== undefined) query = query.where('checks.account_id', '=', accountId);
        const checks = (await query.execute()).map(toOverview);
        return checks[0] && { name: checks[0].name, checks };
      }
      const groupId = Number(id);
      if (!isValidId(groupId)) return undefined;
      let query = db.selectFrom('check_groups').select(groupName.as('name')).where('id', '=', groupId);
      if (accountId !== undefined) query = query.where('account_id', '=', accountId);
      const group = await query.executeTakeFirst();
      if (group === undefined) return undefined;
      const rows = await select().where('checks.group_id', '=', groupId).execute();
      return { name: group.name ?? '', checks: rows.map(toOverview) };
    },
    /** Returns whether the account of a check or group shows its badges to everyone. */
    async hasPublicBadge(kind: 'check' | 'group', id: string): Promise<boolean> {
      if (kind === 'group' && !isValidId(Number(id))) return false;
      const owner =
        kind === 'check'
          ? db.selectFrom('checks').select('account_id').where('id', '=', id)
          : db.selectFrom('check_groups').select('account_id').where('id', '=', Number(id));
      const query = db.selectFrom('accounts').select('id').where('public_badges', '=', 1);
      return (await query.where('id', 'in', owner).executeTakeFirst()) !== undefined;
    },
    /** Returns the checks that open incidents of status page services, by name. */
    async ofServices(
      accountId: string,
      serviceIds: readonly string[],
    ): Promise<readonly { readonly id: string; readonly name: string; readonly service: string }[]> {
      if (serviceIds.length === 0) return [];
      const rows = await db
        .selectFrom('checks')
        .select(['id', 'name', serviceOf.as('service')])
        .where('account_id', '=', accountId)
        .where(serviceOf, 'in', serviceIds)
        .orderBy('name_folded')
        .orderBy('id')
        .execute();
      return rows.map(({ service, ...check }) => ({ ...check, service: service ?? '' }));
    },
    /** Returns the IDs of the status page services whose incidents checks open. */
    async incidentServices(checkIds: readonly string[]): Promise<string[]> {
      if (checkIds.length === 0) return [];
      const rows = await db
        .selectFrom('checks')
        .select(serviceOf.as('service'))
        .distinct()
        .where(isOneOf({ dialect }, 'id', checkIds))
        .execute();
      return rows.flatMap(({ service }) => service ?? []);
    },
  };
}
