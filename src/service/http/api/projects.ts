/** Handles projects that clients deploy as code, and their deployments. */
import { Readable } from 'node:stream';
import type { getDeployment, getProject, ResponseOf } from '../../../contract/index.ts';
import type { DeploymentRecord, ProjectRecord } from '../../store/index.ts';
import {
  type DeployOptions,
  type DeployRequest,
  type DeployResult,
  deployProject,
} from '../projects/deploy-project.ts';
import { timestamps, toIso, withConflictMessage } from './document-resource.ts';
import type { HandlerContext, Handlers, ProjectEndpoint, ResourceHandlers } from './handler.ts';
import { requireFound } from './problem.ts';

const present = (stored: ProjectRecord): ResponseOf<typeof getProject> => ({
  id: stored.id,
  ...stored.body,
  ...timestamps(stored),
});

const presentDeployment = ({
  id,
  result,
  createdAt,
}: DeploymentRecord): ResponseOf<typeof getDeployment> => ({
  id,
  status: 'SUCCEEDED',
  progress: 100,
  error: null,
  result: result as DeployResult,
  created_at: toIso(createdAt),
  endedAt: toIso(createdAt),
});

export function projectHandlers(
  context: HandlerContext,
  createResourceHandlers: (context: HandlerContext) => ResourceHandlers,
): Pick<Handlers, ProjectEndpoint> {
  const { store } = context;
  interface DeploymentCall {
    readonly accountId: string;
    readonly params: { readonly logicalId: string; readonly deploymentId: string };
  }
  async function findDeployment({ accountId, params: { logicalId, deploymentId } }: DeploymentCall) {
    const record = await store.projects.deployment(accountId, logicalId, deploymentId);
    return presentDeployment(requireFound(record, `deployment ${deploymentId} of project ${logicalId}`));
  }

  async function deploy(request: DeployRequest, options: DeployOptions) {
    const outcome = await deployProject(context, createResourceHandlers, request, options);
    return 'id' in outcome ? presentDeployment(outcome) : outcome;
  }

  return {
    async listProjects({ accountId }) {
      return (await store.projects.list(accountId)).map(present);
    },
    async createProject({ accountId, body }) {
      return present(
        await withConflictMessage(
          () => `Another project already uses the logical ID ${body.logicalId}`,
          () => store.projects.create(accountId, body),
        ),
      );
    },
    async getProject({ accountId, params: { logicalId } }) {
      return present(requireFound(await store.projects.byKey(accountId, logicalId), `project ${logicalId}`));
    },
    deployProject: ({ accountId, query, body, header }) =>
      deploy(body, {
        accountId,
        header,
        isDryRun: query.dryRun ?? false,
        preservesResources: query.preserveResources ?? false,
      }),
    async deleteProject({ accountId, query, params: { logicalId }, header }) {
      const project = await store.projects.byKey(accountId, logicalId);
      // Repeatable: a project that does not exist is already deleted.
      if (project === undefined) return {};
      return deploy(
        { project: project.body, resources: [] },
        {
          accountId,
          header,
          isDryRun: query.dryRun ?? false,
          preservesResources: query.preserveResources ?? false,
          deletesProject: true,
        },
      );
    },
    getDeployment: findDeployment,
    awaitDeployment: findDeployment,
    cancelDeployment: findDeployment,
    async streamDeploymentEvents(call) {
      const event = `event: complete\ndata: ${JSON.stringify(await findDeployment(call))}\n\n`;
      call.header('content-type', 'text/event-stream; charset=utf-8');
      call.header('cache-control', 'no-store');
      return { bytes: Buffer.byteLength(event), stream: Readable.from([Buffer.from(event)]) };
    },
  };
}
