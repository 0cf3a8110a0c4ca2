/** Test sessions as published clients show them: list entries by outcome, and one result with its details. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { eventually } from '../../../support/eventually.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { BAD, createTarget } from '../../engine/harness.ts';
import { dns } from './support.ts';

const target = createTarget();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ engine: { runners: { DNS: target.runner } } });
});
afterAll(() => service.close());

async function newCheck(name: string): Promise<string> {
  const body = { ...dns, name, retryStrategy: null, activated: false };
  return String((await call(service, contract.createDnsCheck, { body })).id);
}
async function start(checkId: string[], fields: object = {}): Promise<string> {
  const body = {
    name: 'release',
    runLocation: 'eu-west-2',
    target: { checkId, allowDeactivated: true },
    ...fields,
  };
  return (await call(service, contract.triggerTestSessions, { body })).testSessionId;
}
const entryOf = async (id: string) =>
  (await call(service, contract.listTestSessions, {})).entries.find((entry) => entry.id === id);

it('an entry has the runs by outcome, and the fields of the session itself', async () => {
  const checks = [await newCheck('one'), await newCheck('two'), await newCheck('three')];
  target.finds(BAD, {}, {});
  const metadata = { branchName: 'main', commitId: 'abc' };
  const testSessionId = await start(checks, { metadata });
  const params = { testSessionId };
  const session = await call(service, contract.awaitTestSession, { params });
  const entry = await entryOf(testSessionId);
  const { results: _, ...shown } = session;
  expect(entry).toMatchObject({
    ...shown,
    ...{ id: testSessionId, accountId: service.accountId, projectId: null, provider: 'API' },
    ...{ region: 'eu-west-2', privateLocationId: null, invoker: null, running: [], cancelled: [] },
    ...{ branchName: 'main', commitId: 'abc', repoUrl: null, created_at: session.startedAt },
    updated_at: session.stoppedAt,
  });
  const details = await Promise.all(
    (session.results ?? []).map(({ testSessionResultId = '' }) =>
      call(service, contract.getTestSessionResult, { params: { testSessionId, testSessionResultId } }),
    ),
  );
  const sequences = (status: string) =>
    details.filter((result) => result.status === status).map(({ sequenceId }) => sequenceId);
  expect([entry?.failed, entry?.passed.toSorted()]).toEqual([
    sequences('FAILED'),
    sequences('PASSED').toSorted(),
  ]);
  expect([entry?.failed.length, entry?.passed.length]).toEqual([1, 2]);
});

it('an entry names the runs that have not ended, and those that were cancelled', async () => {
  const checks = [await newCheck('four'), await newCheck('five')];
  target.hang();
  const testSessionId = await start(checks);
  await eventually(async () => expect(target.hanging()).toBe(2));
  const running = await entryOf(testSessionId);
  expect([running?.status, running?.running.length, running?.updated_at]).toEqual(['RUNNING', 2, null]);
  await call(service, contract.cancelTestSession, { params: { testSessionId } });
  await call(service, contract.awaitTestSession, { params: { testSessionId } });
  const ended = await entryOf(testSessionId);
  expect([ended?.running, ended?.cancelled.toSorted()]).toEqual([[], running?.running.toSorted()]);
  expect([ended?.passed, ended?.failed]).toEqual([[], []]);
  target.letGo();
});

it('an entry of a private location names its ID', async () => {
  const { id } = await call(service, contract.createPrivateLocation, {
    body: { name: 'Office', slugName: 'office' },
  });
  const testSessionId = await start([await newCheck('six')], { runLocation: 'office' });
  expect(await entryOf(testSessionId)).toMatchObject({ region: 'office', privateLocationId: id });
});

it('a result is found through its session, with the details of its check type', async () => {
  const checkId = await newCheck('seven');
  target.finds({ ...BAD, details: { dns: { resolver: '192.0.2.1:53' } } });
  const testSessionId = await start([checkId]);
  const session = await call(service, contract.awaitTestSession, { params: { testSessionId } });
  const [entry] = session.results ?? [];
  const params = { testSessionId, testSessionResultId: entry?.testSessionResultId ?? '' };
  expect(await call(service, contract.getTestSessionResult, { params })).toMatchObject({
    ...entry,
    ...{ id: params.testSessionResultId, checkId, status: 'FAILED', responseTime: 12.345, attempts: 0 },
    dnsCheckResult: { dns: { resolver: '192.0.2.1:53' } },
  });
  const other = await start([checkId]);
  expect(
    await ask(service, contract.getTestSessionResult, { params: { ...params, testSessionId: other } }),
  ).toMatchObject({
    status: 404,
    body: { message: `Result ${params.testSessionResultId} of test session ${other} not found` },
  });
});

it('sessions are found by an error group of their results', async () => {
  target.finds({ ...BAD, errors: ['no answer'] });
  const failed = await start([await newCheck('eight')]);
  const session = await call(service, contract.awaitTestSession, { params: { testSessionId: failed } });
  const [errorGroupId = ''] = session.errorGroupIds;
  const found = async (query: { errorGroupId: string }) =>
    (await call(service, contract.listTestSessions, { query })).entries.map(({ id }) => id);
  expect(await found({ errorGroupId })).toEqual([failed]);
  expect(await found({ errorGroupId: randomUUID() })).toEqual([]);
});
