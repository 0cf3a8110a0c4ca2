/** Checks authentication, rate limits, unknown routes, and the log of a request. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { send } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { NOBODY, paramsOf, queryOf } from '../api/any-request.ts';
import { authorized, raw, refusal } from '../api/support.ts';

let service: TestService;
const lines: string[] = [];
beforeAll(async () => {
  service = await startTestService({
    logger: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
    documents: {
      '/openapi.json': async () => ({ openapi: '3.1.0' }),
      '/monitoring.schema.json': async () => ({ title: 'Files' }),
    },
    about: async () => ({ version: '0.0.0' }),
  });
});
afterAll(() => service.close());

const endpoints: readonly contract.Endpoint[] = Object.values(contract);

describe('authentication', () => {
  it.each(endpoints.map((endpoint) => [endpoint.name, endpoint] as const))(
    '%s needs a key',
    async (_, endpoint) => {
      const line = `${endpoint.method} ${endpoint.path.replaceAll(/\{\w+\}/g, '1')}`;
      for (const authorization of [
        '',
        'Bearer',
        'Bearer sk_wrong',
        `Basic ${service.apiKey}`,
        service.apiKey,
      ]) {
        const { status, headers, body } = await send(service, line, undefined, { authorization });
        expect(status).toBe(401);
        expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
        expect(body).toEqual({ ...refusal(401), error: 'Unauthorized' });
      }
    },
  );

  it('takes the account header of its own account, in any case, and no other', async () => {
    const other = await service.newAccount();
    const as = (account: string) =>
      send(service, 'GET /v1/checks', undefined, { 'x-service-account': account });
    expect((await as(service.accountId)).status).toBe(200);
    expect((await as(service.accountId.toUpperCase())).status).toBe(200);
    for (const account of [other.accountId, 'nonsense', `${service.accountId}, ${service.accountId}`]) {
      expect(await as(account)).toMatchObject({ status: 403, body: { ...refusal(403), error: 'Forbidden' } });
    }
  });

  it('forgets a key that was revoked', async () => {
    const account = await service.newAccount();
    const as = { ...service, ...account };
    expect((await send(as, 'GET /v1/checks')).status).toBe(200);
    for (const { id } of await service.store.keys.list(account.accountId)) {
      await service.store.keys.delete(account.accountId, id);
    }
    expect((await send(as, 'GET /v1/checks')).status).toBe(401);
  });
});

describe('what is not there', () => {
  const withParams = endpoints.filter(
    ({ name, caller, params }) =>
      caller === undefined &&
      Object.keys(params.properties ?? {}).length > 0 &&
      // Answers as if the project was deleted already.
      name !== 'deleteProject',
  );
  it.each(withParams.map((endpoint) => [endpoint.name, endpoint] as const))(
    '%s answers 404 for an id that is nobody’s',
    async (_, endpoint) => {
      const bodies: Readonly<Record<string, unknown>> = {
        updateStatusPage: { name: 'p', url: 'u', cards: [] },
        updateAlertChannel: { sendFailure: false },
        updateDashboard: { header: 'x' },
        updateErrorGroup: { archivedUntilNextEvent: true },
        updateTestErrorGroup: { archivedUntilNextEvent: true },
        updateVariable: { value: 'v' },
        updateService: { name: 's' },
        updateCheckGroupV2: { name: 'g' },
        createIncidentUpdate: { description: 'd' },
        updateIncidentUpdate: { description: 'd' },
        updateMaintenance: { endsAt: '2099-01-01' },
        createDashboardIncidentUpdate: { description: 'd', status: 'MONITORING' },
        updateDashboardIncidentUpdate: { description: 'd' },
        createPageSubscriptions: { subscriptions: [{ type: 'EMAIL', config: 'a@example.com' }] },
        updateAlertChannelSubscription: { groupId: 1, activated: true },
      };
      const change = 'name' in (endpoint.body?.properties ?? {}) ? { name: 'x' } : {};
      const body = bodies[endpoint.name] ?? (endpoint.body && change);
      const answer = await ask(service, endpoint, {
        query: queryOf(endpoint),
        params: paramsOf(endpoint),
        body,
      });
      expect(answer).toMatchObject({ status: 404, body: { ...refusal(404), error: 'Not Found' } });
    },
  );

  it('is what another account has', async () => {
    const other = { ...service, ...(await service.newAccount()) };
    const dns = { name: 'd', request: { query: 'example.com' }, heartbeat: {}, script: '' };
    const page = { name: 'p', url: 'mine', cards: [] };
    const check = String((await call(service, contract.createDnsCheck, { body: dns })).id);
    const group = Number((await call(service, contract.createCheckGroup, { body: { name: 'g' } })).id);
    const snippet = (await call(service, contract.createSnippet, { body: { name: 's', script: '' } })).id;
    const location = (
      await call(service, contract.createPrivateLocation, { body: { name: 'l', slugName: 'l' } })
    ).id;
    const channel = (
      await call(service, contract.createAlertChannel, {
        body: { type: 'SLACK', config: { url: 'https://hooks.example.com/u' } },
      })
    ).id;
    const statusPage = (await call(service, contract.createStatusPage, { body: page })).id;
    const shop = String((await call(service, contract.createService, { body: { name: 's' } })).id);
    const dashboard = (await call(service, contract.createDashboard, { body: {} })).dashboardId;
    await call(service, contract.createVariable, { body: { key: 'MINE', value: 'v' } });
    await call(service, contract.createCheckTrigger, { params: { checkId: check } });
    await call(service, contract.createGroupTrigger, { params: { groupId: group } });
    const window = await call(service, contract.createMaintenanceWindow, {
      body: { name: 'w', startsAt: '2026-11-21', endsAt: '2026-11-22', repeatUnit: null },
    });
    const shown = { name: 'p', url: 'shown', cards: [{ services: [{ id: shop }] }] };
    const { id: statusPageId } = await call(service, contract.createStatusPage, { body: shown });
    const rule = await call(service, contract.createAutomationRule, {
      body: {
        ...{ name: 'r', statusPageId, tags: ['t'], firstUpdate: 'f', lastUpdate: 'l' },
        components: [{ componentId: shop, targetImpact: 'MAJOR_OUTAGE' }],
      },
    });
    const incident = await call(service, contract.createIncident, {
      body: {
        name: 'i',
        severity: 'MINOR',
        services: [],
        incidentUpdates: [{ description: 'd', status: 'MONITORING' }],
      },
    });
    const lines: readonly (readonly [string, unknown?])[] = [
      [`GET /v1/checks/${check}`],
      [`PUT /v1/checks/dns/${check}`, { name: 'x' }],
      [`DELETE /v1/checks/${check}`],
      [`GET /v1/check-results/${check}`],
      [`GET /v2/check-results/${check}`],
      [`GET /v1/error-groups/checks/${check}`],
      [`GET /v1/triggers/checks/${check}`],
      [`POST /v1/triggers/checks/${check}`],
      [`DELETE /v1/triggers/checks/${check}`],
      [`GET /v1/check-groups/${group}`],
      [`PUT /v1/check-groups/${group}`, { name: 'x' }],
      [`DELETE /v1/check-groups/${group}`],
      [`GET /v1/triggers/check-groups/${group}`],
      [`DELETE /v1/triggers/check-groups/${group}`],
      [`PUT /v1/snippets/${snippet}`, { name: 'x' }],
      [`DELETE /v1/snippets/${snippet}`],
      [`GET /v1/private-locations/${location}`],
      [`POST /v1/private-locations/${location}/keys`],
      [`DELETE /v1/private-locations/${location}`],
      [`PUT /v1/alert-channels/${channel}`, { sendFailure: false }],
      [`DELETE /v1/alert-channels/${channel}`],
      [`GET /v1/status-pages/${statusPage}`],
      [`PUT /v1/status-pages/${statusPage}`, page],
      [`DELETE /v1/status-pages/${statusPage}`],
      [`GET /v1/status-pages/services/${shop}`],
      [`GET /v1/status-pages/incidents/${incident.id}`],
      [`GET /v1/status-pages/automation-rules/${rule.id}`],
      [`PUT /v1/status-pages/automation-rules/${rule.id}`, { name: 'x' }],
      [`DELETE /v1/status-pages/automation-rules/${rule.id}`],
      [`GET /v1/dashboards/${dashboard}`],
      [`DELETE /v1/dashboards/${dashboard}`],
      [`GET /v1/maintenance-windows/${window.id}`],
      [`PUT /v1/maintenance-windows/${window.id}`, { name: 'x' }],
      ['GET /v1/variables/MINE'],
      ['DELETE /v1/variables/MINE'],
    ];
    for (const [line, body] of lines) {
      expect([line, (await send(other, line, body)).status]).toEqual([line, 404]);
    }
    for (const list of [
      'checks',
      'check-groups',
      'snippets',
      'alert-channels',
      'variables',
      'private-locations',
    ]) {
      expect((await send(other, `GET /v1/${list}`)).body).toEqual([]);
    }
    const into = await ask(other, contract.createDnsCheck, {
      body: {
        ...dns,
        groupId: group,
        setupSnippetId: snippet,
        privateLocations: ['l'],
        alertChannelSubscriptions: [{ alertChannelId: channel, activated: true }],
        triggerIncident: { serviceId: shop },
      },
    });
    expect(into.status).toBe(400);
    expect(into.body).toMatchObject({ attributes: { violations: { length: 5 } } });
    expect((await send(service, `GET /v1/checks/${check}`)).body).toMatchObject({ name: 'd' });
  });

  it('may be a route: 404 where nothing is, 405 where another method is', async () => {
    expect(await send(service, 'GET /v1/nothing')).toMatchObject({ status: 404, body: refusal(404) });
    const { status, headers, body } = await send(service, 'PATCH /v1/snippets/7', {});
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('DELETE, GET, PUT');
    expect(body).toEqual({ ...refusal(405), error: 'Method Not Allowed' });
    expect(
      await raw(service, `PROPFIND /v1/checks HTTP/1.1\r\n${authorized(service)}connection: close\r\n\r\n`),
    ).toMatch(/^HTTP\/1.1 405/);
  });
});

describe('rates', () => {
  it('are held per key, and tell when to come again', async () => {
    const limited = await startTestService({
      limits: {
        rates: {
          standard: { requests: 3, windowSeconds: 60 },
          'deprecated-listing': { requests: 5, windowSeconds: 10 },
          agent: { requests: 6000, windowSeconds: 60 },
        },
      },
    });
    try {
      const addresses = () => send(limited, 'GET /v1/static-ips-by-region');
      for (let asked = 0; asked < 3; asked++) expect((await addresses()).status).toBe(200);
      const { status, headers, body } = await addresses();
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect(body).toEqual({ ...refusal(429), statusCode: 429, error: 'Too Many Requests' });
      const other = { ...limited, ...(await limited.newAccount()) };
      expect((await send(other, 'GET /v1/static-ips-by-region')).status).toBe(200);
      const results = () => send(other, `GET /v1/check-results/${NOBODY}`);
      for (let asked = 0; asked < 5; asked++) expect((await results()).status).toBe(404);
      expect((await results()).status).toBe(429);
      expect((await send(limited, 'GET /health')).status).toBe(200);
    } finally {
      await limited.close();
    }
  });
});

describe('the open routes', () => {
  it('tell how the service is, what it offers and what it counts', async () => {
    const open = { ...service, apiKey: '' };
    expect(await (await fetch(`${service.url}/health`)).json()).toEqual({ status: 'ok' });
    expect(await send(service, 'GET /health')).toMatchObject({
      status: 200,
      body: { status: 'ok', active: 0, queued: 0 },
    });
    expect(await send(open, 'GET /openapi.json')).toMatchObject({ status: 200, body: { openapi: '3.1.0' } });
    expect(await send(open, 'GET /monitoring.schema.json')).toMatchObject({
      status: 200,
      body: { title: 'Files' },
    });
    const headers = { authorization: `Bearer ${service.apiKey}` };
    const metrics = await (await fetch(`${service.url}/metrics`, { headers })).text();
    expect(metrics).toMatch(/sonde_http_requests_total\{method="GET",route="\/health",status="200"\} \d/);
    expect(metrics).toMatch(/sonde_attempts_queued \d/);
    const wrong = { authorization: 'Bearer sk_wrong' };
    for (const refused of [{}, wrong, { 'x-forwarded-for': '127.0.0.1' }])
      expect((await fetch(`${service.url}/metrics`, { headers: refused })).status).toBe(401);
  });
});

describe('a request', () => {
  it('has an id, given or made, that its answer and its log line carry', async () => {
    const given = await send(service, 'GET /v1/checks?search=words', undefined, {
      'x-request-id': 'deploy-17',
    });
    expect(given.headers.get('x-request-id')).toBe('deploy-17');
    const odd = await send(service, 'GET /v1/checks', undefined, { 'x-request-id': 'two words' });
    expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const line = lines.find((text) => text.includes('deploy-17'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      reqId: 'deploy-17',
      method: 'GET',
      route: '/v1/checks',
      status: 200,
    });
  });

  it('leaves neither its key nor its body nor a token in the log', async () => {
    await call(service, contract.createVariable, {
      body: { key: 'LOGGED', value: 'never in a log', secret: true },
    });
    await send(service, 'GET /checks/x/trigger/tell-nobody');
    const log = lines.join('');
    for (const secret of [service.apiKey, 'never in a log', 'tell-nobody']) expect(log).not.toContain(secret);
    expect(log).toContain('/checks/:id/trigger/:token');
  });
});
