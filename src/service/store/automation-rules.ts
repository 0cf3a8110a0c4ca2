/** Stores automation rules of status pages, the incident of each, and the failing checks for which it stays open. */
import { type SqlBool, sql } from 'kysely';
import type { StoreContext } from './context.ts';
import { type AutomationRuleBody, collection } from './documents.ts';

/** The incident of a rule. */
export interface AutomationRuleState {
  /** The open incident, or the one that a person resolved or deleted while its checks still fail; null: none. */
  readonly incidentId: string | null;
  /** When the last incident ended because its checks recovered, in ms since the epoch; null: never. */
  readonly endedAt: number | null;
}

/** Class of the advisory locks of accounts. The number is arbitrary. */
const LOCK_CLASS = 504_743;

export function automationRules(context: StoreContext) {
  const { db, dialect } = context;
  const rules = collection<string, AutomationRuleBody>(context, {
    table: 'automation_rules',
    ids: 'uuid',
    columns: ({ statusPageId }) => ({ page_id: statusPageId }),
  });
  return {
    ...rules,
    /**
     * Makes changes of the rules of an account wait for changes of the states of its checks, and the reverse, until the
     * transaction ends. Reads that follow see what the others have committed, if the transaction is read committed.
     */
    async serialize(accountId: string, mode: 'exclusive' | 'shared'): Promise<void> {
      // SQLite runs one transaction at a time.
      if (dialect !== 'postgres') return;
      const lock = sql.raw(mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock');
      await sql`select ${lock}(${sql.raw(String(LOCK_CLASS))}, hashtext(${accountId}))`.execute(db);
    },
    /** Returns the IDs of rules with an incident, by rule. */
    async incidents(accountId: string): Promise<ReadonlyMap<string, string>> {
      const rows = await db
        .selectFrom('automation_rules')
        .select(['id', 'incident_id'])
        .where('account_id', '=', accountId)
        .where('incident_id', 'is not', null)
        .execute();
      return new Map(
        rows.flatMap(({ id, incident_id }) => (incident_id === null ? [] : [[id, incident_id]])),
      );
    },
    /** Reads the state of a rule, and locks it until the transaction ends; undefined if the rule does not exist. */
    lock: (id: string): Promise<AutomationRuleState | undefined> =>
      db
        .updateTable('automation_rules')
        // A change of the row, so that a serializable transaction that waited for it runs again.
        .set({ incident_id: sql<string | null>`incident_id` })
        .where('id', '=', id)
        .returning(['incident_id as incidentId', 'ended_at as endedAt'])
        .executeTakeFirst(),
    async setState(id: string, { incidentId, endedAt }: AutomationRuleState): Promise<void> {
      const query = db.updateTable('automation_rules').set({ incident_id: incidentId, ended_at: endedAt });
      await query.where('id', '=', id).execute();
    },
    /** Returns the failing checks of the account by rule. */
    failures: (accountId: string): Promise<{ readonly ruleId: string; readonly checkId: string }[]> =>
      db
        .selectFrom('automation_rule_failures')
        .select(['rule_id as ruleId', 'check_id as checkId'])
        .where('account_id', '=', accountId)
        .orderBy('rule_id')
        .orderBy('check_id')
        .execute(),
    /** Returns the rules that count a check as failing. */
    async rulesOf(checkId: string): Promise<ReadonlySet<string>> {
      const query = db.selectFrom('automation_rule_failures').select('rule_id');
      const rows = await query.where('check_id', '=', checkId).execute();
      return new Set(rows.map(({ rule_id }) => rule_id));
    },
    async hasFailures(ruleId: string): Promise<boolean> {
      const query = db.selectFrom('automation_rule_failures').select(sql<SqlBool>`1`.as('found'));
      return (await query.where('rule_id', '=', ruleId).limit(1).executeTakeFirst()) !== undefined;
    },
    /** Counts a check as failing for a rule. */
    async addFailure(accountId: string, ruleId: string, checkId: string): Promise<void> {
      await db
        .insertInto('automation_rule_failures')
        .values({ rule_id: ruleId, check_id: checkId, account_id: accountId })
        .onConflict((conflict) => conflict.columns(['rule_id', 'check_id']).doNothing())
        .execute();
    },
    /** Stops counting a check for one rule, or for all. Returns the rules that counted it, in order. */
    async removeFailures(checkId: string, ruleId?: string): Promise<string[]> {
      let query = db.deleteFrom('automation_rule_failures').where('check_id', '=', checkId);
      if (ruleId !== undefined) query = query.where('rule_id', '=', ruleId);
      const rows = await query.returning('rule_id').execute();
      return rows.map(({ rule_id }) => rule_id).sort();
    },
  };
}
