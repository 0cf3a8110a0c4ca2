/** Creates the tables of deployment triggers, of the webhooks that report deployments, and of the deliveries that they received. */
import { createIndex, type Migration, referenceOwned, table } from './migrate.ts';

export const deploymentTriggers: Migration = {
  name: '048-deployment-triggers',
  async up(db, columns) {
    const triggers = table(db, columns, 'deployment_triggers', {
      id: 'numbered key',
      account_id: 'text not null references accounts.id',
      check_id: 'text unique',
      group_id: 'bigint unique',
      repo_id: 'text not null',
      body: 'text not null',
      created_at: 'bigint not null',
    });
    const ofCheck = referenceOwned(triggers, 'deployment_triggers_check', 'check_id', 'checks');
    await referenceOwned(ofCheck, 'deployment_triggers_group', 'group_id', 'check_groups').execute();
    await createIndex(db, 'deployment_triggers_by_repo', 'deployment_triggers', 'account_id, repo_id');
    await table(db, columns, 'github_webhooks', {
      account_id: 'text primary key references accounts.id',
      secret: 'text not null',
      created_at: 'bigint not null',
    }).execute();
    const deliveries = table(db, columns, 'github_deliveries', {
      account_id: 'text not null references accounts.id',
      id: 'text not null',
      received_at: 'bigint not null',
    });
    await deliveries.addPrimaryKeyConstraint('github_deliveries_key', ['account_id', 'id']).execute();
  },
};
