/** Creates the tables of projects that are deployed as code: their resources, and the outcomes of their deployments. */
import { createIndex, type Migration, table } from './migrate.ts';

export const projects: Migration = {
  name: '024-projects',
  async up(db, columns) {
    await table(db, columns, 'projects', {
      id: 'text primary key',
      account_id: 'text not null references accounts.id',
      unique_key: 'text not null',
      body: 'text not null',
      created_at: 'bigint not null',
      updated_at: 'bigint',
    }).execute();
    await createIndex(db, 'projects_by_key', 'projects', 'account_id, unique_key', true);
    await table(db, columns, 'project_resources', {
      project_id: 'text not null references projects.id',
      type: 'text not null',
      logical_id: 'text not null',
      physical_id: 'text',
    })
      .addPrimaryKeyConstraint('project_resources_key', ['project_id', 'type', 'logical_id'])
      .execute();
    // A deployment outlives its project: clients read the outcome of a deletion.
    await table(db, columns, 'project_deployments', {
      id: 'text primary key',
      account_id: 'text not null references accounts.id',
      project: 'text not null',
      result: 'text not null',
      created_at: 'bigint not null',
    }).execute();
    await createIndex(
      db,
      'project_deployments_of_project',
      'project_deployments',
      'account_id, project, created_at, id',
    );
  },
};
