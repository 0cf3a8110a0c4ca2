/** Endpoints of projects that clients deploy as code (docs/gaps.md). */
import * as resources from '../resources/project.ts';
import { allOptional, boolean, integer, string, Type, uuid } from '../schema.ts';
import { define } from './define.ts';

const projects = { resource: 'projects' } as const;
const logicalId = { logicalId: string('Logical ID of the project') };
const deploymentOfProject = { ...logicalId, deploymentId: uuid('ID of the deployment') };
const dryRun = boolean('Whether only to return the changes, and change nothing', { default: false });
const preserveResources = boolean('Whether resources that are no longer in the project are kept', {
  default: false,
});

export const listProjects = define({
  ...projects,
  name: 'listProjects',
  method: 'GET',
  path: '/next/projects',
  summary: 'List projects',
  response: Type.Array(resources.project),
});
export const createProject = define({
  ...projects,
  name: 'createProject',
  method: 'POST',
  path: '/next/projects',
  summary: 'Create a project without resources',
  body: resources.projectBody,
  response: resources.project,
  status: 201,
});
export const getProject = define({
  ...projects,
  name: 'getProject',
  method: 'GET',
  path: '/next/projects/{logicalId}',
  summary: 'Get a project',
  params: logicalId,
  response: resources.project,
});
export const deployProject = define({
  ...projects,
  name: 'deployProject',
  method: 'POST',
  path: '/v1/projects/deploy',
  summary: 'Create, update and delete the resources of a project in one transaction',
  query: allOptional({
    dryRun,
    preserveResources,
    scheduleOnDeploy: boolean('Accepted without effect: checks run at their next scheduled time', {
      default: true,
    }),
  }),
  body: resources.projectDeployBody,
  response: resources.deploymentOutcome,
  bodyBytes: 32 * 1024 * 1024,
  bodyValues: 300_000,
});
export const deleteProject = define({
  ...projects,
  name: 'deleteProject',
  method: 'DELETE',
  path: '/v1/projects/{logicalId}',
  summary: 'Delete a project and its resources in one transaction',
  params: logicalId,
  query: allOptional({ dryRun, preserveResources }),
  response: resources.deploymentOutcome,
});
export const getDeployment = define({
  ...projects,
  name: 'getDeployment',
  method: 'GET',
  path: '/v1/projects/{logicalId}/deployments/{deploymentId}',
  summary: 'Get a deployment',
  params: deploymentOfProject,
  response: resources.deployment,
});
export const awaitDeployment = define({
  ...projects,
  name: 'awaitDeployment',
  method: 'GET',
  path: '/v1/projects/{logicalId}/deployments/{deploymentId}/completion',
  summary: 'Get a deployment; never waits, because only completed deployments are stored',
  params: deploymentOfProject,
  query: allOptional({
    maxWaitSeconds: integer('Longest wait, in seconds', { minimum: 1, maximum: 30, default: 30 }),
  }),
  response: resources.deployment,
});
export const cancelDeployment = define({
  ...projects,
  name: 'cancelDeployment',
  method: 'POST',
  path: '/v1/projects/{logicalId}/deployments/{deploymentId}/cancel',
  summary: 'Get a deployment; a completed one cannot be cancelled',
  params: deploymentOfProject,
  response: resources.deployment,
  safeToRetry: true,
});
export const streamDeploymentEvents = define({
  ...projects,
  name: 'streamDeploymentEvents',
  method: 'GET',
  path: '/v1/projects/{logicalId}/deployments/{deploymentId}/events',
  summary: 'Get the events of a deployment as server-sent events',
  params: deploymentOfProject,
  response: Type.Unsafe<Uint8Array>({
    type: 'string',
    contentEncoding: 'binary',
    description: 'One event, complete, with the deployment',
  }),
  file: 'text/event-stream',
});
