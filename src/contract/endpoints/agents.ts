/** Neighbours, ours: what the agents of private locations ask and report. Each opens by a private location's key alone. */
import { ARTIFACT_BYTES, RUN_ARTIFACTS } from '../artifact-bytes.ts';
import {
  allOptional,
  anyObject,
  array,
  boolean,
  closed,
  integer,
  nullable,
  oneOf,
  open,
  optional,
  string,
  Type,
  uuid,
} from '../schema.ts';
import { define } from './define.ts';

const agents = { resource: 'agents', caller: 'agent', rate: 'agent', safeToRetry: true } as const;

const agentId = uuid('Id of the agent: of its process, from start to end');
const claimId = uuid('Id of the claim, made by the agent: the same claim is answered with the same runs');
const waitSeconds = integer('How long to wait at most where there is nothing to tell', {
  minimum: 0,
  maximum: 30,
});
const runId = integer('ID of the run', { minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const ms = (description: string) => integer(description, { 'x-unit': 'ms' });

const proxyUrl = optional(nullable(string('Proxy for outgoing requests of URL and API checks')));
/** The year 2100. An agent whose clock was never set counts from 1970: the service corrects it. */
const LATEST_MS = Date.UTC(2100, 0);
const instant = (description: string) =>
  integer(`${description}, in milliseconds since the epoch`, { minimum: 0, maximum: LATEST_MS });
/** A day: longer than any run may take. */
const LONGEST_RESPONSE_MS = 24 * 60 * 60 * 1000;
/** Runs that one agent holds at most. */
const MOST_RUNS = 1000;

export const announceAgent = define({
  ...agents,
  name: 'announceAgent',
  method: 'POST',
  path: '/v1/agents/announce',
  summary: 'Begin as an agent: learn which private location the key belongs to',
  body: closed({ agentId, version: string('Version of the agent', { maxLength: 100 }) }),
  response: open({
    location: open({
      id: uuid('Id of the private location'),
      name: string('Its name'),
      slugName: string('Its name in checks and results'),
      proxyUrl,
    }),
    leaseSeconds: integer('A run that was not renewed for so long is given to another', { 'x-unit': 's' }),
    artifactBytes: integer('So large may a picture or trace be', { 'x-unit': 'bytes' }),
  }),
});

const claimedRun = open(
  {
    id: runId,
    checkType: string('Type of the check'),
    check: anyObject('The check as its runner takes it'),
    location: string('The private location, as results name it'),
    timeoutMs: ms('How long the run may take'),
    secrets: array(string('A value'), 'Values that must appear in no result'),
    isCancelled: boolean('Whether its session was cancelled meanwhile: it is to be reported as cancelled'),
  },
  { title: 'ClaimedRun' },
);

export const claimRuns = define({
  ...agents,
  name: 'claimRuns',
  method: 'POST',
  path: '/v1/agents/claim',
  summary: 'Claim runs, as soon as there are any',
  body: closed({
    agentId,
    claimId,
    capacity: integer('How many runs at most', { minimum: 1, maximum: 100 }),
    waitSeconds,
    checkTypes: array(string('A check type', { maxLength: 100 }), 'Check types that the agent can run', {
      maxItems: 100,
    }),
    runtimes: array(string('A runtimeId', { maxLength: 100 }), 'Runtimes that the agent has', {
      maxItems: 100,
    }),
  }),
  response: open({
    runs: array(claimedRun, 'Held for the agent now; none where there were none in time'),
    location: open({ proxyUrl }, { description: 'The private location as it is now' }),
  }),
});

export const renewRuns = define({
  ...agents,
  name: 'renewRuns',
  method: 'POST',
  path: '/v1/agents/renew',
  summary: 'Keep runs, and hear of those that are cancelled or no longer held',
  body: closed({
    agentId,
    runs: array(runId, 'All that the agent holds: what it does not name is given to another', {
      maxItems: MOST_RUNS,
    }),
    waitSeconds,
  }),
  response: open({
    held: array(runId, 'Those of them that are still held'),
    cancelled: array(runId, 'Those of them that are to be stopped'),
  }),
});

const report = closed(
  {
    hasFailures: boolean('Whether the target failed'),
    hasErrors: boolean('Whether the monitor failed'),
    isDegraded: boolean('Whether the answer was slower than wanted'),
    overMaxResponseTime: boolean('Whether the answer was slower than allowed'),
    isNetworkError: boolean('Whether the network, not an answer, made it fail'),
    isCancelled: boolean('Whether it was stopped before it found anything'),
    responseTime: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      minimum: 0,
      maximum: LONGEST_RESPONSE_MS,
      description: 'Response time in milliseconds; null if not measured',
    }),
    errors: array(string('A message'), 'Error messages, most relevant first'),
    details: anyObject('Details specific to the check type'),
    startedAt: instant('Start time'),
    stoppedAt: instant('End time'),
    ...allOptional({ mayRetry: boolean('Whether a retry can help') }),
  },
  { title: 'RunReport' },
);

const artifact = closed(
  {
    id: uuid('Id under which the file was sent'),
    kind: oneOf(['screenshot', 'trace', 'transcript'], 'What it is'),
    name: string('Name of the file', { minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' }),
    contentType: string('Its type', { minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' }),
    bytes: integer('Its length', { minimum: 0, maximum: ARTIFACT_BYTES }),
  },
  { title: 'RunArtifact' },
);

export const reportRun = define({
  ...agents,
  name: 'reportRun',
  method: 'POST',
  path: '/v1/agents/report',
  summary: 'Hand in what a run found; the same report again changes nothing',
  body: closed({
    agentId,
    claimId: uuid('Id of the claim that brought the run'),
    runId,
    resultId: uuid('ID of the result, generated by the agent at the end of the run'),
    sentAt: instant("Agent's clock at sending time, to correct for clock skew"),
    report,
    artifacts: array(artifact, 'Files of the run, sent before', { maxItems: RUN_ARTIFACTS }),
  }),
  response: open({
    outcome: oneOf(
      ['RECORDED', 'NOT_HELD', 'ARTIFACTS_MISSING'],
      'Whether the result is kept; NOT_HELD: the run was given to another or is over, the result is of no use; ARTIFACTS_MISSING: files are to be sent again before',
    ),
    missing: array(uuid('Id'), 'Files that are not there'),
  }),
});

export const releaseRuns = define({
  ...agents,
  name: 'releaseRuns',
  method: 'POST',
  path: '/v1/agents/release',
  summary: 'Give runs back, for other agents',
  body: closed({
    agentId,
    keep: array(runId, 'What the agent goes on holding: all else is given back', { maxItems: MOST_RUNS }),
    ...allOptional({ isLeaving: boolean('Whether the agent ends', { default: false }) }),
  }),
});

export const getRunCodeBundle = define({
  ...agents,
  name: 'getRunCodeBundle',
  method: 'GET',
  path: '/v1/agents/code-bundles/{id}',
  summary: 'Fetch the project folder of a Playwright check that the agent is to run',
  params: { id: string('Id of the code bundle: the SHA-256 of its archive', { pattern: '^[0-9a-f]{64}$' }) },
  response: open({ archive: string('The ZIP archive, in base64') }),
});

export const putRunArtifact = define({
  ...agents,
  name: 'putRunArtifact',
  method: 'PUT',
  path: '/v1/agents/artifacts/{id}',
  summary: 'Send a part of a picture or trace of a run that the agent holds, before its report',
  params: { id: uuid('Id of the file, made by the agent') },
  query: {
    offset: integer('How much of it came before', { minimum: 0, maximum: ARTIFACT_BYTES }),
    agentId,
    claimId: uuid('Id of the claim that brought the run'),
    runId,
  },
  uploadBytes: 4 * 1024 * 1024,
  response: open({
    bytes: integer('How much of it is there: the next part begins here', { 'x-unit': 'bytes' }),
  }),
});
