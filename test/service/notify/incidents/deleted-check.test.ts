/** A check that is deleted leaves no incident open that nothing would ever end. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { openIncident } from '../../../../src/service/notify/incidents.ts';
import { call } from '../../../support/call.ts';
import { startTestService, type TestService } from '../../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** A check whose failure has opened an incident. */
async function failing(): Promise<{ checkId: string; incidentId: string }> {
  const { id: serviceId } = await call(service, contract.createService, { body: { name: 'Shop' } });
  const check = await call(service, contract.createDnsCheck, {
    body: { name: 'shop', request: { query: 'a.example' }, heartbeat: {}, script: '', activated: false },
  });
  const checkId = String((check as { id: string }).id);
  const incidentId = await service.store.transaction((tx) =>
    openIncident(tx, {
      ...{ accountId: service.accountId, checkId, at: Date.now() },
      trigger: { serviceId: String(serviceId) },
    }),
  );
  return { checkId, incidentId: incidentId ?? '' };
}
const updatesOf = async (id: string) =>
  (await service.store.incidents.get(service.accountId, id))?.body.incidentUpdates.map(
    ({ status, description }) => [status, description],
  );

it('resolves the incident with the check, and says why', async () => {
  const { checkId, incidentId } = await failing();
  await call(service, contract.deleteCheck, { params: { id: checkId } });
  expect(await updatesOf(incidentId)).toEqual([
    ['RESOLVED', expect.stringContaining('was deleted')],
    ['INVESTIGATING', expect.any(String)],
  ]);
});

it('says nothing more where a person resolved it', async () => {
  const { checkId, incidentId } = await failing();
  await call(service, contract.updateIncident, {
    params: { id: incidentId },
    body: { incidentUpdates: [{ description: 'It was the cable.', status: 'RESOLVED' }] },
  });
  const before = await updatesOf(incidentId);
  await call(service, contract.deleteCheck, { params: { id: checkId } });
  expect(await updatesOf(incidentId)).toEqual(before);
});

it('resolves nothing where another account asks for the deletion', async () => {
  const { checkId, incidentId } = await failing();
  const { apiKey } = await service.newAccount();
  const asked = await fetch(`${service.url}/v1/checks/${checkId}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${apiKey}` },
  });
  expect(asked.status).toBe(404);
  expect(await updatesOf(incidentId)).toHaveLength(1);
});
