/** Stores projects that are deployed as code, the resources that belong to them, and the outcomes of their deployments. */
import type { BodyOf, createProject } from '../../contract/index.ts';
import type { StoreContext } from './context.ts';
import { collection, type StoredResource } from './documents.ts';

type ProjectBody = BodyOf<typeof createProject>;
export type ProjectRecord = StoredResource<string, ProjectBody>;

/** A resource of a project. `logicalId` is its name in the project, and unique for its type. */
export interface ProjectResource {
  readonly type: string;
  readonly logicalId: string;
  /** The ID of the resource; null if it is part of another one, such as a subscription. */
  readonly physicalId: string | null;
}

/** A finished deployment, or deletion, of a project. */
export interface DeploymentRecord {
  readonly id: string;
  /** The logical ID of the project. */
  readonly project: string;
  readonly result: unknown;
  /** Ms since the epoch. */
  readonly createdAt: number;
}

/** Number of deployments that are stored for each project. */
const MAX_DEPLOYMENTS = 20;

export function projects(context: StoreContext) {
  const { db, clock, random } = context;
  const documents = collection<string, ProjectBody>(context, {
    table: 'projects',
    ids: 'uuid',
    uniqueKey: ({ logicalId }) => logicalId,
  });
  const ofProject = (accountId: string, project: string) =>
    db
      .selectFrom('project_deployments')
      .select(['id', 'project', 'result', 'created_at as createdAt'])
      .where('account_id', '=', accountId)
      .where('project', '=', project);

  return {
    ...documents,
    /** Locks a project until the transaction ends, so that its deployments follow each other. */
    async lock(accountId: string, logicalId: string): Promise<void> {
      const query = db
        .selectFrom('projects')
        .select('id')
        .where('account_id', '=', accountId)
        .where('unique_key', '=', logicalId);
      // SQLite has a single writer and needs no lock.
      if (context.dialect === 'postgres') await query.forUpdate().execute();
    },
    /** Returns the resources of a project, in the order of their types and logical IDs. */
    async resources(projectId: string): Promise<ProjectResource[]> {
      return db
        .selectFrom('project_resources')
        .select(['type', 'logical_id as logicalId', 'physical_id as physicalId'])
        .where('project_id', '=', projectId)
        .orderBy('type')
        .orderBy('logical_id')
        .execute();
    },
    /** Adds a resource to a project. */
    async addResource(projectId: string, { type, logicalId, physicalId }: ProjectResource): Promise<void> {
      await db
        .insertInto('project_resources')
        .values({ project_id: projectId, type, logical_id: logicalId, physical_id: physicalId })
        .execute();
    },
    /** Removes a resource from a project, without deleting it. */
    async removeResource(projectId: string, { type, logicalId }: ProjectResource): Promise<void> {
      await db
        .deleteFrom('project_resources')
        .where('project_id', '=', projectId)
        .where('type', '=', type)
        .where('logical_id', '=', logicalId)
        .execute();
    },
    /** Records a deployment, and deletes all but the newest ones of the project. Returns it. */
    recordDeployment: (accountId: string, project: string, result: unknown): Promise<DeploymentRecord> =>
      context.atomically(async (tx) => {
        const record = { id: random.uuid(), project, result, createdAt: clock.now() };
        await tx.db
          .insertInto('project_deployments')
          .values({
            id: record.id,
            account_id: accountId,
            project,
            result: JSON.stringify(result),
            created_at: record.createdAt,
          })
          .execute();
        const newest = tx.db
          .selectFrom('project_deployments')
          .select('id')
          .where('account_id', '=', accountId)
          .where('project', '=', project)
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(MAX_DEPLOYMENTS);
        await tx.db
          .deleteFrom('project_deployments')
          .where('account_id', '=', accountId)
          .where('project', '=', project)
          .where('id', 'not in', newest)
          .where('id', '<>', record.id)
          .execute();
        return record;
      }),
    /** Returns a deployment of a project; undefined if it is unknown, or too old. */
    async deployment(accountId: string, project: string, id: string): Promise<DeploymentRecord | undefined> {
      const row = await ofProject(accountId, project).where('id', '=', id).executeTakeFirst();
      return row && { ...row, result: JSON.parse(row.result) as unknown };
    },
  };
}
