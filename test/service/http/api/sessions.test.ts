/** Sessions over the API: started, awaited, cancelled, and what they leave behind. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { byHand } from '../../../support/by-hand.ts';
import { ask, call } from '../../../support/call.ts';
import { eventually } from '../../../support/eventually.ts';
import { send } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { BAD, createTarget, SLOW } from '../../engine/harness.ts';

const target = createTarget();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ engine: { runners: { DNS: target.runner }, concurrency: 4 } });
});
beforeEach(() => target.letGo());
afterAll(() => service.close());

const dns = {
  ...{ name: 'd', request: { query: 'example.com' }, heartbeat: {}, script: '', retryStrategy: null },
  ...byHand(),
} as const;
const newCheck = async (fields: object = {}) =>
  String((await call(service, contract.createDnsCheck, { body: { ...dns, ...fields } })).id);
async function started(checkId: string): Promise<string> {
  const { sessions } = await call(service, contract.triggerCheckSessions, {
    body: { target: { checkId: [checkId] } },
  });
  return String(sessions[0]?.checkSessionId);
}
const completion = (checkSessionId: string, maxWaitSeconds = 30) =>
  ask(service, contract.awaitCheckSession, { params: { checkSessionId }, query: { maxWaitSeconds } });

describe('a check session', () => {
  it('is started, waited for and read', async () => {
    target.finds(BAD);
    const checkId = await newCheck({ locations: ['eu-west-1'] });
    const checkSessionId = await started(checkId);
    const ended = await call(service, contract.awaitCheckSession, { params: { checkSessionId } });
    expect(ended).toMatchObject({
      checkSessionId,
      checkId,
      checkType: 'DNS',
      status: 'FAILED',
      runLocations: ['eu-west-1'],
      runSource: 'TRIGGER_API',
      results: [{ hasFailures: true, hasErrors: false, runLocation: 'eu-west-1' }],
    });
    const params = { checkSessionId };
    expect(await call(service, contract.getCheckSession, { params })).toMatchObject({ status: 'FAILED' });
    const listed = await call(service, contract.listCheckSessions, { query: { checkId } });
    expect(listed).toMatchObject({ length: 1, entries: [{ checkSessionId }], nextId: null });
    const search = checkSessionId.slice(0, 8).toUpperCase();
    expect(await call(service, contract.listCheckSessions, { query: { search } })).toEqual(listed);
    expect(
      await call(service, contract.listCheckSessions, { query: { search: `${search}-zzzz` } }),
    ).toMatchObject({ length: 0 });
  });

  it('is answered with 408 while it runs, and cancelled on demand', async () => {
    target.hang();
    const id = await started(await newCheck());
    const waited = await completion(id, 1);
    expect(waited).toMatchObject({
      status: 408,
      body: { statusCode: 408, error: 'Request Time-out', message: expect.any(String), attributes: {} },
    });
    await call(service, contract.cancelCheckSession, { params: { id } });
    expect((await completion(id)).body).toMatchObject({ status: 'CANCELLED' });
    await call(service, contract.cancelCheckSession, { params: { id } });
  });

  it('that has ended otherwise is not cancelled: it says how it ended', async () => {
    const id = await started(await newCheck({ locations: ['eu-west-1'] }));
    expect((await completion(id)).body).toMatchObject({ status: 'PASSED' });
    expect(await ask(service, contract.cancelCheckSession, { params: { id } })).toMatchObject({
      status: 409,
      body: { message: `Check session ${id} has already ended (PASSED) and cannot be cancelled` },
    });
  });

  it('is started of nothing that is deactivated or not there', async () => {
    const checkId = await newCheck({ activated: false });
    for (const ids of [[checkId], ['00000000-0000-4000-8000-000000000000']]) {
      const answer = await ask(service, contract.triggerCheckSessions, {
        body: { target: { checkId: ids } },
      });
      expect(answer.status).toBe(404);
    }
    const tagged = await newCheck({ tags: ['one', 'two'] });
    const { sessions } = await call(service, contract.triggerCheckSessions, {
      body: { target: { matchTags: [['one', '!three']] } },
    });
    expect(sessions.map((session) => session.checkId)).toEqual([tagged]);
  });

  it('belongs to its account alone', async () => {
    const other = { ...service, ...(await service.newAccount()) };
    const id = await started(await newCheck());
    await completion(id);
    for (const line of [
      `GET /v2/check-sessions/${id}`,
      `GET /v2/check-sessions/${id}/completion?maxWaitSeconds=1`,
      `POST /v1/check-sessions/${id}/cancel`,
    ]) {
      expect([line, (await send(other, line)).status]).toEqual([line, 404]);
    }
    expect(await call(other, contract.listCheckSessions, {})).toMatchObject({ length: 0 });
  });

  it('wakes two hundred who wait for it, with its one end', async () => {
    target.hang();
    const id = await started(await newCheck());
    const waiting = Array.from({ length: 200 }, () => completion(id));
    await eventually(() => expect(target.hanging()).toBe(1));
    target.letGo(SLOW);
    const answers = await Promise.all(waiting);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ status: 'DEGRADED' });
  });

  it('lets go of those who hang up', async () => {
    target.hang();
    const id = await started(await newCheck());
    const wait = vi.spyOn(service.service.engine, 'awaitSession');
    const socket = connect(service.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `GET /v2/check-sessions/${id}/completion HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${service.apiKey}\r\n\r\n`,
    );
    await eventually(() => expect(wait).toHaveBeenCalled());
    socket.destroy();
    const awaited = await wait.mock.results[0]?.value;
    expect(awaited).toMatchObject({ ended: false });
    wait.mockRestore();
  });
});

describe('results and error groups', () => {
  it('are listed per check, and a group is archived and taken back', async () => {
    target.finds(BAD);
    const checkId = await newCheck();
    const { body: session } = await completion(await started(checkId));
    const params = { checkId };
    const [result] = await call(service, contract.listCheckResultsDeprecated, { params });
    expect(result).toMatchObject({ checkId, hasFailures: true, resultType: 'FINAL' });
    const page = await call(service, contract.listCheckResults, { params });
    // The deprecated listing answers whole milliseconds.
    const { responseTime: _, ...rest } = result ?? {};
    expect(page).toMatchObject({ length: 1, entries: [rest], nextId: null });
    const { startedAt, stoppedAt, responseTime } = page.entries[0] ?? {};
    expect(session).toMatchObject({ results: [{ startedAt, stoppedAt, responseTime }] });
    expect([startedAt, stoppedAt]).not.toContain(undefined);
    const none = await call(service, contract.listCheckResults, { params, query: { hasFailures: false } });
    expect(none.length).toBe(0);
    const deprecated = await ask(service, contract.listCheckResultsDeprecated, { params });
    expect(deprecated.headers.get('deprecation')).toBe('true');
    const [group] = await call(service, contract.listErrorGroups, { params });
    expect(group).toMatchObject({ checkId, archivedUntilNextEvent: false, archiveForEver: false });
    const own = { id: String(group?.id) };
    const archived = await call(service, contract.updateErrorGroup, {
      params: own,
      body: { archivedUntilNextEvent: true },
    });
    expect(archived.archivedUntilNextEvent).toBe(true);
    const other = { ...service, ...(await service.newAccount()) };
    const body = { archivedUntilNextEvent: true };
    expect((await ask(other, contract.updateErrorGroup, { params: own, body })).status).toBe(404);
    for (const nextId of ['made up', 'MTIz', '😀']) {
      for (const endpoint of [
        contract.listCheckResults,
        contract.listCheckSessions,
        contract.listTestSessions,
      ]) {
        const answer = await ask(service, endpoint, { params, query: { nextId } });
        expect(answer).toMatchObject({ status: 400, body: { statusCode: 400, error: 'Bad Request' } });
      }
    }
  });

  it('go with their check', async () => {
    const checkId = await newCheck();
    const id = await started(checkId);
    await completion(id);
    await call(service, contract.deleteCheck, { params: { id: checkId } });
    expect((await ask(service, contract.listCheckResults, { params: { checkId } })).status).toBe(404);
    expect((await ask(service, contract.getCheckSession, { params: { checkSessionId: id } })).status).toBe(
      404,
    );
  });
});

describe('a test session', () => {
  it('is started, waited for, listed and cancelled', async () => {
    const checkId = await newCheck({ activated: false });
    const body = {
      name: 'deploy',
      runLocation: 'eu-west-1',
      target: { checkId: [checkId], allowDeactivated: true },
    };
    const made = await call(service, contract.triggerTestSessions, { body });
    const params = { testSessionId: made.testSessionId };
    const ended = await call(service, contract.awaitTestSession, { params });
    expect(ended).toMatchObject({ name: 'deploy', status: 'PASSED', results: [{ checkId }] });
    expect(await call(service, contract.getTestSession, { params })).toMatchObject({ status: 'PASSED' });
    target.hang();
    const second = await call(service, contract.triggerTestSessions, { body });
    const own = { testSessionId: second.testSessionId };
    const running = await ask(service, contract.awaitTestSession, {
      params: own,
      query: { maxWaitSeconds: 1 },
    });
    expect(running).toMatchObject({ status: 408, body: { error: 'Request Time-out' } });
    await call(service, contract.cancelTestSession, { params: own });
    expect(await call(service, contract.awaitTestSession, { params: own })).toMatchObject({
      status: 'CANCELLED',
    });
    expect((await call(service, contract.listTestSessions, {})).length).toBe(2);
  });

  it('runs at a location that there is, of checks that there are', async () => {
    const checkId = await newCheck();
    const body = { name: 'n', runLocation: 'eu-wst-1', target: { checkId: [checkId] } };
    expect((await ask(service, contract.triggerTestSessions, { body })).body).toMatchObject({
      attributes: { violations: [{ path: 'runLocation', nearest: 'eu-west-1' }] },
    });
    const nobody = {
      ...body,
      runLocation: 'eu-west-1',
      target: { checkId: ['00000000-0000-4000-8000-000000000000'] },
    };
    expect((await ask(service, contract.triggerTestSessions, { body: nobody })).status).toBe(404);
  });
});

describe('a trigger', () => {
  it('starts its check or its group for whoever knows the token', async () => {
    const open = { ...service, apiKey: '' };
    const group = Number((await call(service, contract.createCheckGroup, { body: { name: 'g' } })).id);
    const checkId = await newCheck({ groupId: group });
    const trigger = await call(service, contract.createCheckTrigger, { params: { checkId } });
    const { status, body } = await send(open, `GET /checks/${checkId}/trigger/${trigger.token}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ sessions: [{ checkId, runSource: 'LEGACY_TRIGGER' }] });
    const deployed = await send(open, `GET /checks/${checkId}/trigger/${trigger.token}?deploymentId=42`);
    expect(deployed.body).toMatchObject({ sessions: [{ checkId, runSource: 'DEPLOYMENT' }] });
    const read = await call(service, contract.getCheckTrigger, { params: { checkId } });
    expect(read.called_at).not.toBeNull();

    const own = await call(service, contract.createGroupTrigger, { params: { groupId: group } });
    const ran = await send(open, `GET /check-groups/${group}/trigger/${own.token}`);
    expect(ran.body).toMatchObject({ sessions: [{ checkId, runSource: 'GROUP_RUN_ALL' }] });
    for (const path of [
      `/checks/${checkId}/trigger/wrong`,
      `/checks/${checkId}/trigger/${own.token}`,
      `/checks/nobody/trigger/${trigger.token}`,
      `/check-groups/${group}/trigger/wrong`,
      `/check-groups/x/trigger/${own.token}`,
      `/checks/a%00b/trigger/${trigger.token}`,
    ]) {
      expect(await send(open, `GET ${path}`)).toMatchObject({
        status: 404,
        body: { message: 'Trigger not found' },
      });
    }
  });
});
