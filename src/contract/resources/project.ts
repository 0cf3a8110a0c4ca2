/** Schemas of projects that clients deploy as code, and of their deployments (docs/gaps.md). */
import { LOGICAL_ID_LIMIT, RESOURCE_NAME_LIMIT } from '../limits.ts';
import {
  allOptional,
  anyObject,
  array,
  boolean,
  closed,
  date,
  dateTime,
  nullable,
  oneOf,
  open,
  openOneOf,
  optional,
  string,
  Type,
  uuid,
} from '../schema.ts';
import { timestamps } from './shared.ts';

/** Types of the resources of a project. The last three are parts of a check or group. */
export const PROJECT_RESOURCE_TYPES = [
  'status-page-service',
  'status-page-component',
  'private-location',
  'snippet',
  'alert-channel',
  'status-page',
  'status-page-automation-rule',
  'check-group',
  'check',
  'maintenance-window',
  'dashboard',
  'alert-channel-subscription',
  'private-location-check-assignment',
  'private-location-group-assignment',
] as const;

const RESOURCE_ACTIONS = ['CREATE', 'UPDATE', 'DELETE', 'DETACHED'] as const;

const logicalId = string('Logical ID: letters, digits and the characters _ - / # .', LOGICAL_ID_LIMIT);

const projectFields = {
  logicalId,
  name: string('Name of the project', RESOURCE_NAME_LIMIT),
  repoUrl: optional(nullable(string('URL of the repository'))),
};
export const projectBody = closed(projectFields, { title: 'ProjectRequest' });
export const project = open(
  { id: uuid('ID of the project'), ...projectFields, ...timestamps },
  { title: 'Project' },
);

const resource = closed(
  {
    logicalId,
    type: oneOf(PROJECT_RESOURCE_TYPES, 'Type of the resource'),
    physicalId: optional(
      nullable(
        Type.Unsafe<string | number>({ type: ['string', 'number'], description: 'ID of the resource' }),
      ),
    ),
    member: optional(
      boolean('Whether the project manages the resource; false: it only refers to it by physicalId', {
        default: true,
      }),
    ),
    payload: optional(
      nullable(anyObject('Body of the resource; {"ref": LOGICAL_ID} refers to a resource of the project')),
    ),
  },
  { title: 'ProjectResourceRequest' },
);

export const sharedFiles = array(
  closed({ path: string('Path of the file'), content: string('Content of the file') }),
  'Files that scripts import; dependencies of a check are indexes of this list',
);
export const projectDeployBody = closed(
  {
    project: projectBody,
    resources: array(resource, 'Resources of the project; others that it deployed before are deleted', {
      maxItems: 5000,
    }),
    sharedFiles: optional(sharedFiles),
    repoInfo: optional(nullable(anyObject('Commit that is deployed'))),
  },
  { title: 'ProjectDeployRequest' },
);

const resultFields = {
  project: open({ logicalId: string('Logical ID of the project'), name: string('Name of the project') }),
  diff: array(
    open({
      type: openOneOf(PROJECT_RESOURCE_TYPES, 'Type of the resource'),
      logicalId: string('Logical ID of the resource'),
      physicalId: optional(
        Type.Unsafe<string | number>({ type: ['string', 'number'], description: 'ID of the resource' }),
      ),
      action: openOneOf(
        RESOURCE_ACTIONS,
        'Change: UPDATE also if nothing changes, DETACHED if the project no longer manages the resource',
      ),
    }),
    'Changes of the resources',
  ),
};
const deploymentFields = {
  id: uuid('ID of the deployment'),
  status: openOneOf(['SUCCEEDED'], 'Status of the deployment: only completed ones are stored'),
  progress: Type.Number({ description: 'Progress in percent' }),
  error: nullable(anyObject('Error of a failed deployment')),
  result: open(resultFields),
  created_at: date('Time of the deployment'),
  endedAt: dateTime('Time at which it ended'),
};
export const deployment = open(deploymentFields, { title: 'ProjectDeployment' });
/** The outcome of a deployment: the deployment, or only its changes if it was a dry run. */
export const deploymentOutcome = open(allOptional({ ...deploymentFields, ...resultFields }), {
  title: 'ProjectDeploymentOutcome',
});
