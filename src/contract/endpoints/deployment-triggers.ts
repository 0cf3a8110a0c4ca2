/** Endpoints of deployment triggers and of the webhook that reports deployments. */
import * as resources from '../resources/deployment-trigger.ts';
import { integer, Type } from '../schema.ts';
import { define } from './define.ts';

const triggers = { resource: 'triggers' } as const;
export const listDeploymentTriggers = define({
  ...triggers,
  name: 'listDeploymentTriggers',
  method: 'GET',
  path: '/v1/deployment-triggers',
  summary: 'List all deployment triggers',
  response: Type.Array(resources.deploymentTrigger),
});
export const createDeploymentTrigger = define({
  ...triggers,
  name: 'createDeploymentTrigger',
  method: 'POST',
  path: '/v1/deployment-triggers',
  summary:
    'Run a check or a group after each deployment of a repository; an existing trigger does not change',
  body: resources.deploymentTriggerBody,
  response: resources.deploymentTrigger,
  status: 201,
});
export const deleteDeploymentTrigger = define({
  ...triggers,
  name: 'deleteDeploymentTrigger',
  method: 'DELETE',
  path: '/v1/deployment-triggers/{id}',
  summary: 'Delete a deployment trigger',
  params: { id: integer('ID of the deployment trigger') },
});
export const getGithubWebhook = define({
  ...triggers,
  name: 'getGithubWebhook',
  method: 'GET',
  path: '/v1/account/github-webhook',
  summary: 'Get the URL of the webhook for deployments',
  response: resources.githubWebhook,
});
export const createGithubWebhook = define({
  ...triggers,
  name: 'createGithubWebhook',
  method: 'POST',
  path: '/v1/account/github-webhook',
  summary: 'Create the secret of the webhook for deployments, which replaces the previous one',
  response: resources.createdGithubWebhook,
  status: 201,
});
