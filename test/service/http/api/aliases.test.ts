/** Older and newer paths: each answers what the endpoint that it repeats answers. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { createTarget } from '../../engine/harness.ts';
import { dns } from './support.ts';

let service: TestService;
const target = createTarget();
beforeAll(async () => {
  service = await startTestService({ engine: { runners: { DNS: target.runner } } });
});
afterAll(() => service.close());

it('checks are listed and found under all versions of their path', async () => {
  const { id } = await call(service, contract.createDnsCheck, {
    body: { ...dns, activated: false, tags: ['a'] },
  });
  await call(service, contract.createDnsCheck, { body: { ...dns, activated: false, tags: ['b'] } });
  const checks = await call(service, contract.listChecks, { query: { tag: ['a'] } });
  expect(checks).toHaveLength(1);
  for (const endpoint of [contract.listChecksV2, contract.listChecksV3])
    expect(await call(service, endpoint, { query: { tag: ['a'] } })).toEqual(checks);
  const params = { id: String(id) };
  for (const endpoint of [contract.getCheckV2, contract.getCheckV3])
    expect(await call(service, endpoint, { params })).toEqual(
      await call(service, contract.getCheck, { params }),
    );
});

it('a session is started, awaited and read under the older path', async () => {
  const { id } = await call(service, contract.createDnsCheck, {
    body: { ...dns, retryStrategy: null, frequency: 1440 },
  });
  const body = { target: { checkId: [String(id)] } };
  const { sessions } = await call(service, contract.triggerCheckSessionsV1, { body });
  expect(sessions).toMatchObject([{ checkId: id, runSource: 'TRIGGER_API' }]);
  const params = { checkSessionId: sessions[0]?.checkSessionId ?? '' };
  const ended = await call(service, contract.awaitCheckSessionV1, { params, query: { maxWaitSeconds: 30 } });
  expect(ended).toMatchObject({ status: 'PASSED', results: [{ checkId: id }] });
  expect(await call(service, contract.getCheckSessionV1, { params })).toEqual(
    await call(service, contract.getCheckSession, { params }),
  );
  expect(
    await ask(service, contract.triggerCheckSessionsV1, { body: { target: { matchTags: [['no']] } } }),
  ).toMatchObject({
    status: 404,
  });
});

it('an incident is changed with PATCH as with PUT', async () => {
  const incidentUpdates = [{ description: 'Looking', status: 'INVESTIGATING' as const }];
  const body = { name: 'Slow', severity: 'MINOR' as const, services: [], incidentUpdates };
  const { id } = await call(service, contract.createIncident, { body });
  const params = { id };
  const patched = await call(service, contract.patchIncident, { params, body: { severity: 'MAJOR' } });
  expect(patched).toMatchObject({ name: 'Slow', severity: 'MAJOR', lastUpdateStatus: 'INVESTIGATING' });
  // The duration of an open incident grows.
  const duration = expect.any(Number);
  expect(await call(service, contract.getIncident, { params })).toEqual({ ...patched, duration });
});
