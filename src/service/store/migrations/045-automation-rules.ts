/** Adds automation rules of status pages, and the failing checks for which each keeps an incident open. */
import { createIndex, type Migration, table } from './migrate.ts';

const ACCOUNT = 'text not null references accounts.id';

export const automationRules: Migration = {
  name: '045-automation-rules',
  async up(db, columns) {
    await table(db, columns, 'automation_rules', {
      id: 'text primary key',
      account_id: ACCOUNT,
      page_id: 'text not null references status_pages.id',
      body: 'text not null',
      incident_id: 'text',
      ended_at: 'bigint',
      created_at: 'bigint not null',
      updated_at: 'bigint',
    }).execute();
    const columnsOfList = 'account_id, created_at, id';
    await createIndex(db, 'automation_rules_of_account', 'automation_rules', columnsOfList);
    await createIndex(db, 'automation_rules_of_page', 'automation_rules', 'page_id');
    await table(db, columns, 'automation_rule_failures', {
      rule_id: 'text not null references automation_rules.id',
      check_id: 'text not null references checks.id',
      account_id: ACCOUNT,
    })
      .addPrimaryKeyConstraint('automation_rule_failures_key', ['rule_id', 'check_id'])
      .execute();
    await createIndex(db, 'automation_rule_failures_of_check', 'automation_rule_failures', 'check_id');
    await createIndex(db, 'automation_rule_failures_of_account', 'automation_rule_failures', 'account_id');
  },
};
