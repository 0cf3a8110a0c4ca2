/** One result and one error group at a time, and the error groups of all checks. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { createManualClock } from '../../../support/clock.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { BAD, createTarget } from '../../engine/harness.ts';
import { dns } from './support.ts';

const MINUTE = 60_000;
const clock = createManualClock(Date.parse('2026-11-21T08:30:00Z'));
const target = createTarget();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ clock, engine: { runners: { DNS: target.runner } } });
});
afterAll(() => service.close());

/** Creates a check, and runs it once with a failure. */
async function failedCheck(error: string): Promise<string> {
  const { id } = await call(service, contract.createDnsCheck, {
    body: { ...dns, retryStrategy: null, locations: ['eu-west-1'], frequency: 1440 },
  });
  target.finds({ ...BAD, errors: [error] });
  const body = { target: { checkId: [String(id)] } };
  const { sessions } = await call(service, contract.triggerCheckSessions, { body });
  const params = { checkSessionId: sessions[0]?.checkSessionId ?? '' };
  await call(service, contract.awaitCheckSession, { params });
  return String(id);
}

it('a result is found through its check, with what its list entry has', async () => {
  const checkId = await failedCheck('no answer');
  const { entries } = await call(service, contract.listCheckResults, { params: { checkId } });
  const [entry] = entries;
  const params = { checkId, checkResultId: entry?.id ?? '' };
  const result = await call(service, contract.getCheckResult, { params });
  expect(result).toEqual({ ...entry, responseTime: Math.round(Number(entry?.responseTime)) });
  expect(result).toMatchObject({ checkId, hasFailures: true, errors: ['no answer'] });
  const other = await failedCheck('other');
  expect(
    await ask(service, contract.getCheckResult, { params: { ...params, checkId: other } }),
  ).toMatchObject({
    status: 404,
    body: { message: `Result ${entry?.id} of check ${other} not found` },
  });
});

it('error groups of all checks are listed, last seen first, and each is found by its ID', async () => {
  const own = { ...service, ...(await service.newAccount()) };
  expect(await call(own, contract.listAllErrorGroups, {})).toEqual([]);
  await clock.advance(MINUTE);
  const older = await failedCheck('older error');
  await clock.advance(MINUTE);
  const newer = await failedCheck('newer error');
  const groups = await call(service, contract.listAllErrorGroups, { query: { limit: 2 } });
  expect(groups.map(({ checkId, rawErrorMessage }) => [checkId, rawErrorMessage])).toEqual([
    [newer, 'newer error'],
    [older, 'older error'],
  ]);
  const next = await call(service, contract.listAllErrorGroups, { query: { limit: 1, page: 2 } });
  expect(next).toEqual([groups[1]]);
  expect(await call(service, contract.getErrorGroup, { params: { id: groups[0]?.id ?? '' } })).toEqual(
    groups[0],
  );
});
