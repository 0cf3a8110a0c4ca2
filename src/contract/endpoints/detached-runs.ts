/** Starts of test sessions by published clients: checks of the account, or checks that the request contains. */
import * as resources from '../resources/detached-run.ts';
import { integer, optional, uuid } from '../schema.ts';
import { define } from './define.ts';

const testSessions = { resource: 'test sessions' } as const;

export const triggerPublishedTests = define({
  ...testSessions,
  name: 'triggerPublishedTests',
  method: 'POST',
  path: '/next/test-sessions/trigger',
  summary: 'Run checks once, without alerting, as published clients ask for it',
  body: resources.publishedTriggerBody,
  response: resources.triggeredRun,
  status: 201,
});
export const runProjectChecks = define({
  ...testSessions,
  name: 'runProjectChecks',
  method: 'POST',
  path: '/v1/test-sessions/run',
  summary: 'Run the checks of a project once, without storing them and without alerting',
  body: resources.projectRunBody,
  response: resources.startedRun,
  status: 201,
  bodyBytes: 32 * 1024 * 1024,
  bodyValues: 300_000,
});
/** The archive that a published client packs: a project folder as a gzipped tar file. */
export const uploadProjectArchive = define({
  name: 'uploadProjectArchive',
  resource: 'code bundles',
  method: 'POST',
  path: '/next/checkly-storage/upload-code-bundle',
  summary: 'Upload a project folder as a gzipped tar file, and store it as a code bundle',
  uploadBytes: 32 * 1024 * 1024,
  response: resources.storedArchive,
});
export const peekProjectArchive = define({
  name: 'peekProjectArchive',
  resource: 'code bundles',
  method: 'POST',
  path: '/next/checkly-storage/peek-code-bundle',
  summary: 'Get whether a project folder is stored as a code bundle',
  body: resources.archiveKeyBody,
  response: resources.storedArchive,
});
export const awaitRunScheduling = define({
  ...testSessions,
  name: 'awaitRunScheduling',
  method: 'GET',
  path: '/v1/test-sessions/scheduling/{schedulingId}/completion',
  summary: 'Get whether the runs of a test session were started',
  params: { schedulingId: uuid('ID of the start, from schedulingId') },
  query: {
    maxWaitSeconds: optional(
      integer('Accepted without effect: the runs start with the session', { minimum: 1, maximum: 30 }),
    ),
  },
  response: resources.runScheduling,
});
export const getTestSessionLink = define({
  ...testSessions,
  name: 'getTestSessionLink',
  method: 'GET',
  path: '/next/test-sessions/{testSessionId}/link',
  summary: 'Get the web address of a test session',
  params: { testSessionId: uuid('ID of the test session') },
  response: resources.testSessionLink,
});
