/** Schemas of deployment triggers and of the webhook that reports deployments (docs/gaps.md). */
import { NAME_LIMIT } from '../limits.ts';
import {
  allOptional,
  boolean,
  closed,
  date,
  integer,
  nullable,
  number,
  oneOf,
  open,
  openOneOf,
  secret,
  string,
  Type,
  uuid,
} from '../schema.ts';

const PROVIDERS = ['GITHUB'] as const;

const PATTERN_LIMIT = { maxLength: 255, default: null };
const fields = {
  repoName: string('Name of the repository', { ...NAME_LIMIT, minLength: 1, 'x-example': 'acme/storefront' }),
  repoLink: string('Link to the repository', { maxLength: 2048, default: '' }),
  useEnvironmentUrl: boolean(
    'Whether checks run against the environment URL of the deployment instead of the target of the check',
    { default: true },
  ),
  includeScreenshots: boolean('Stored without effect, because the service posts nothing to the commit', {
    default: false,
  }),
  environmentRegexFilter: nullable(
    string('Regular expression that the name of the environment must match', PATTERN_LIMIT),
  ),
  environmentUrlRegexFilter: nullable(
    string('Regular expression that the environment URL must match', PATTERN_LIMIT),
  ),
  runLocation: string('Public location, or slug of a private location', {
    ...NAME_LIMIT,
    default: 'us-east-1',
  }),
};

/** Body that creates a deployment trigger. */
export const deploymentTriggerBody = closed(
  {
    repoId: Type.Unsafe<number | string>({
      type: ['number', 'string'],
      description: 'ID of the repository at GitHub: `id` of GET https://api.github.com/repos/OWNER/NAME',
      maxLength: 255,
      minLength: 1,
    }),
    repoName: fields.repoName,
    ...allOptional({
      checkId: nullable(uuid('ID of the check to run; this or groupId is required')),
      groupId: nullable(integer('ID of the check group to run; this or checkId is required', { minimum: 1 })),
      provider: oneOf(PROVIDERS, 'Provider of the deployments', { default: 'GITHUB' }),
      repoLink: fields.repoLink,
      useEnvironmentUrl: fields.useEnvironmentUrl,
      includeScreenshots: fields.includeScreenshots,
      runLocation: fields.runLocation,
      environmentRegexFilter: fields.environmentRegexFilter,
      environmentUrlRegexFilter: fields.environmentUrlRegexFilter,
    }),
  },
  { title: 'DeploymentTriggerRequest' },
);

export const deploymentTrigger = open(
  {
    id: number('ID of the trigger'),
    checkId: nullable(uuid('ID of the check')),
    groupId: nullable(number('ID of the check group')),
    provider: openOneOf(PROVIDERS, 'Provider of the deployments'),
    repoId: string('ID of the repository'),
    repoName: string('Name of the repository'),
    repoLink: nullable(string('Link to the repository')),
    useEnvironmentUrl: boolean('Whether checks run against the environment URL'),
    includeScreenshots: boolean('Stored without effect'),
    environmentRegexFilter: nullable(string('Regular expression for the name of the environment')),
    environmentUrlRegexFilter: nullable(string('Regular expression for the environment URL')),
    runLocation: string('Location of the run'),
    created_at: date('Creation time'),
    updated_at: nullable(date('Time of the last change')),
  },
  { title: 'DeploymentTrigger' },
);

export const githubWebhook = open(
  {
    url: string('URL of the webhook, for the settings of the repository at GitHub'),
    created_at: nullable(date('Creation time of the secret; null: there is none')),
  },
  { title: 'GithubWebhook' },
);
export const createdGithubWebhook = open(
  {
    url: string('URL of the webhook, for the settings of the repository at GitHub'),
    secret: secret('once', 'Secret of the webhook, which only this answer contains'),
  },
  { title: 'CreatedGithubWebhook' },
);
