/** The API over Postgres answers as it does over SQLite. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { openPostgres, type Postgres } from '../../../support/postgres.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { surviveBodies, surviveQueries } from './any-request.ts';
import { deletingWhatIsUsed } from './deletions.ts';
import { sendingBackWhatIsRead } from './round-trips.ts';

describe('the API over Postgres', () => {
  let server: Postgres;
  let service: TestService;
  beforeAll(async () => {
    server = await openPostgres();
    service = await startTestService({ store: { url: await server.createDatabase() } });
  });
  afterAll(async () => {
    await service?.close();
  });

  it('lives through any body', () => surviveBodies(service));
  it('lives through any query', () => surviveQueries(service));
  it('stays the same when its own answer is sent back', () => sendingBackWhatIsRead(service), 900_000);

  it('knows no number that its columns do not hold', async () => {
    for (const id of [0, -1, 2 ** 31, 1e15, 1e300]) {
      const params = { id, groupId: id };
      for (const endpoint of [contract.getCheckGroup, contract.deleteSnippet, contract.deleteGroupTrigger]) {
        expect((await ask(service, endpoint, { params })).status).toBe(404);
      }
      const body = { name: 'd', request: { query: 'example.com' }, heartbeat: {}, script: '', groupId: id };
      // 0 is no group.
      expect((await ask(service, contract.createDnsCheck, { body })).status).toBe(id === 0 ? 201 : 400);
    }
  });

  it('answers conflicts as such', async () => {
    const group = await call(service, contract.createCheckGroup, { body: { name: 'g' } });
    const body = { name: 'd', request: { query: 'example.com' }, heartbeat: {}, script: '' };
    await call(service, contract.createDnsCheck, { body: { ...body, groupId: Number(group.id) } });
    expect((await ask(service, contract.deleteCheckGroup, { params: { id: group.id } })).status).toBe(409);
    const variable = { body: { key: 'K', value: 'v' } };
    await call(service, contract.createVariable, variable);
    expect((await ask(service, contract.createVariable, variable)).status).toBe(409);
  });

  deletingWhatIsUsed(() => service);

  it('takes the pings of a heartbeat that come at once, and records one of them', async () => {
    const heartbeat = { period: 1, periodUnit: 'hours', grace: 0, graceUnit: 'seconds' } as const;
    const check = await call(service, contract.createHeartbeatCheck, { body: { name: 'h', heartbeat } });
    const { pathname } = new URL(check.heartbeat?.pingUrl ?? '');
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${service.url}${pathname}`)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    const params = { checkId: String(check.id) };
    expect((await call(service, contract.listCheckResults, { params })).entries).toHaveLength(1);
    const change = { heartbeat: { ...heartbeat, period: 2 } };
    const { heartbeat: later } = await call(service, contract.updateHeartbeatCheck, {
      params: { id: String(check.id) },
      body: change,
    });
    const waited = Date.parse(later?.dueAt ?? '') - Date.parse(later?.lastPingAt ?? '');
    expect(waited).toBe(7_200_000);
  });

  it('takes what arrives at once', async () => {
    const body = { name: 'd', request: { query: 'example.com' }, heartbeat: {}, script: '', tags: ['a'] };
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => ask(service, contract.createDnsCheck, { body })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 201));
  });
});
