/** Schemas of test sessions as published clients start them (docs/gaps.md). */
import { LOGICAL_ID_LIMIT, RESOURCE_NAME_LIMIT } from '../limits.ts';
import {
  allOptional,
  anyObject,
  array,
  boolean,
  closed,
  dateTime,
  integer,
  nullable,
  oneOf,
  open,
  openOneOf,
  optional,
  string,
  Type,
  uuid,
} from '../schema.ts';
import { sharedFiles } from './project.ts';

const MAX_CHECKS = 500;

/** Fields that both ways to start a test session have. */
const shared = {
  name: string('Name of the test session', RESOURCE_NAME_LIMIT),
  runLocation: open(
    {
      type: oneOf(['PUBLIC', 'PRIVATE'], 'Kind of the location'),
      ...allOptional({
        region: string('Public location'),
        slugName: string('Slug of the private location'),
      }),
    },
    { description: 'Location of all runs' },
  ),
  ...allOptional({
    shouldRecord: boolean('Whether the session is recorded', { default: true }),
    environment: nullable(string('Environment under test')),
    repoInfo: nullable(anyObject('Commit under test')),
    refreshCache: boolean('Whether suites install their dependencies again', { default: false }),
  }),
};
const testRetryStrategy = nullable(anyObject('Retry strategy of all checks; null: no retries'));

export const publishedTriggerBody = open(
  {
    ...shared,
    ...allOptional({
      checkRunSuiteId: uuid('ID that the client gives the run'),
      targetTags: array(array(string('Tag'), 'Tags of which a check must have all'), 'Groups of tags'),
      checkId: array(uuid('ID of a check'), 'Only these checks'),
      environmentVariables: array(anyObject('Variable with key and value'), 'Variables of the scripts'),
      testRetryStrategy,
    }),
  },
  { title: 'PublishedTriggerRequest' },
);

const sequenceIds = Type.Unsafe<Readonly<Record<string, string>>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Sequence ID of each check, by its ID or logical ID',
});
export const triggeredRun = open(
  {
    testSessionId: uuid('ID of the test session'),
    checks: array(anyObject('A check'), 'The checks that run'),
    sequenceIds,
  },
  { title: 'TriggeredRun' },
);

const checkRunJob = open(
  {
    logicalId: string('Logical ID of the check', LOGICAL_ID_LIMIT),
    checkType: string('Type of the check'),
    ...allOptional({
      group: nullable(anyObject('Its group')),
      testRetryStrategy,
    }),
  },
  { title: 'CheckRunJob' },
);
export const projectRunBody = open(
  {
    ...shared,
    checkRunJobs: array(checkRunJob, 'The checks, which are not stored', {
      minItems: 1,
      maxItems: MAX_CHECKS,
    }),
    sharedFiles: optional(sharedFiles),
  },
  { title: 'ProjectRunRequest' },
);
export const startedRun = open(
  {
    testSessionId: uuid('ID of the test session'),
    schedulingId: uuid('ID of the start of its runs'),
    sequenceIds,
  },
  { title: 'StartedRun' },
);
const archiveKey = string('ID of the code bundle, which a check names in codeBundlePath');
export const storedArchive = open(
  {
    key: archiveKey,
    lastModified: dateTime('Time of the upload'),
    contentLength: integer('Size of the stored archive', { 'x-unit': 'bytes' }),
    checksumSha256: optional(string('SHA-256 of the uploaded file, in the answer to its upload')),
  },
  { title: 'StoredArchive' },
);
export const archiveKeyBody = closed({ key: archiveKey }, { title: 'StoredArchiveRequest' });
export const runScheduling = open(
  {
    id: uuid('ID of the start of the runs'),
    status: openOneOf(
      ['SUCCEEDED'],
      'State of the start: the runs of a session start with it, in one transaction',
    ),
    error: Type.Null({ description: 'No error' }),
  },
  { title: 'RunScheduling' },
);
export const testSessionLink = open(
  { link: string('Web address of the test session') },
  { title: 'TestSessionLink' },
);
