/** Stores deployment triggers, the webhooks by which GitHub reports deployments, and the deliveries that they received. */
import type { Selectable } from 'kysely';
import { type SubscriptionTarget, targetColumn, targetColumns } from './alerts.ts';
import type { StoreContext } from './context.ts';
import { isValidId } from './documents.ts';
import { makeSecretText } from './secrets.ts';
import type { ResourceTables } from './tables/resources.ts';

export interface DeploymentTriggerBody {
  readonly repoName: string;
  readonly repoLink: string;
  readonly useEnvironmentUrl: boolean;
  readonly includeScreenshots: boolean;
  readonly environmentRegexFilter: string | null;
  readonly environmentUrlRegexFilter: string | null;
  readonly runLocation: string;
}

export type DeploymentTrigger = ReturnType<typeof triggerFrom>;

const triggerFrom = (row: Selectable<ResourceTables['deployment_triggers']>) => ({
  id: row.id,
  accountId: row.account_id,
  checkId: row.check_id,
  groupId: row.group_id,
  repoId: row.repo_id,
  body: JSON.parse(row.body) as DeploymentTriggerBody,
  createdAt: row.created_at,
});

/** Retention of the IDs of deliveries, in ms. GitHub sends a delivery again for three days at most. */
const DELIVERY_RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

export function deploymentTriggers({ db, clock }: StoreContext) {
  const owned = (accountId: string) =>
    db.selectFrom('deployment_triggers').selectAll().where('account_id', '=', accountId).orderBy('id');
  return {
    /** Returns the triggers of an account, oldest first. */
    list: async (accountId: string): Promise<DeploymentTrigger[]> =>
      (await owned(accountId).execute()).map(triggerFrom),
    /** Returns the triggers of a repository, oldest first. */
    ofRepository: async (accountId: string, repoId: string): Promise<DeploymentTrigger[]> =>
      (await owned(accountId).where('repo_id', '=', repoId).execute()).map(triggerFrom),
    async get(accountId: string, target: SubscriptionTarget): Promise<DeploymentTrigger | undefined> {
      const query = owned(accountId).where((to) => to.and(targetColumn(target)));
      const row = await query.executeTakeFirst();
      return row && triggerFrom(row);
    },
    /** @throws StoreConflict: `unique` if the target has a trigger, `reference` if the account has no such check or group. */
    async create(
      accountId: string,
      target: SubscriptionTarget,
      { repoId, body }: Pick<DeploymentTrigger, 'repoId' | 'body'>,
    ): Promise<DeploymentTrigger> {
      const row = {
        ...{ account_id: accountId, ...targetColumns(target), repo_id: repoId },
        ...{ body: JSON.stringify(body), created_at: clock.now() },
      };
      const query = db.insertInto('deployment_triggers').values(row).returningAll();
      return triggerFrom(await query.executeTakeFirstOrThrow());
    },
    /** Deletes a trigger; false if the account has no such trigger. */
    async delete(accountId: string, id: number): Promise<boolean> {
      if (!isValidId(id)) return false;
      const query = db.deleteFrom('deployment_triggers').where('account_id', '=', accountId);
      const deleted = await query.where('id', '=', id).executeTakeFirst();
      return deleted.numDeletedRows > 0n;
    },
  };
}

export function githubWebhooks({ db, clock }: StoreContext) {
  return {
    /** Returns the webhook of an account; undefined if it has none. */
    async get(accountId: string): Promise<{ secret: string; createdAt: number } | undefined> {
      const query = db.selectFrom('github_webhooks').select(['secret', 'created_at as createdAt']);
      return query.where('account_id', '=', accountId).executeTakeFirst();
    },
    /** Creates a secret, which replaces the previous one. It signs deliveries, so that its hash would not do. */
    async createSecret(accountId: string): Promise<string> {
      const row = { secret: makeSecretText(), created_at: clock.now() };
      await db
        .insertInto('github_webhooks')
        .values({ account_id: accountId, ...row })
        .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
        .execute();
      return row.secret;
    },
    /** Records a delivery; false if it was recorded before. */
    async recordDelivery(accountId: string, id: string): Promise<boolean> {
      const now = clock.now();
      const expired = db
        .deleteFrom('github_deliveries')
        .where('received_at', '<', now - DELIVERY_RETENTION_MS);
      await expired.where('account_id', '=', accountId).execute();
      const recorded = await db
        .insertInto('github_deliveries')
        .values({ account_id: accountId, id, received_at: now })
        .onConflict((conflict) => conflict.columns(['account_id', 'id']).doNothing())
        .returning('id')
        .executeTakeFirst();
      return recorded !== undefined;
    },
  };
}
