import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../src/contract/index.ts';
import { ask, call } from '../../support/call.ts';
import { send } from '../../support/send.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { NOBODY, paramsOf, surviveBodies, surviveQueries } from './any-request.ts';

let service: TestService;
const lines: string[] = [];
beforeAll(async () => {
  service = await startTestService({
    logger: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
    openApiDocument: { openapi: '3.1.0' },
    about: { version: '0.0.0' },
  });
});
afterAll(() => service.close());

const endpoints: readonly contract.Endpoint[] = Object.values(contract);
const shape = (status: number) => ({
  statusCode: status,
  error: expect.any(String),
  message: expect.any(String),
  attributes: expect.any(Object),
});

/** What the service writes to a bare socket that says this and hangs up. */
async function raw(said: string | Buffer): Promise<string> {
  const socket = connect(service.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.end(said);
  return text(socket);
}
const authorized = () => `host: a\r\nauthorization: Bearer ${service.apiKey}\r\n`;

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
        expect(body).toEqual({ ...shape(401), error: 'Unauthorized' });
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
      expect(await as(account)).toMatchObject({ status: 403, body: { ...shape(403), error: 'Forbidden' } });
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
  const withParams = endpoints.filter(({ params }) => Object.keys(params.properties ?? {}).length > 0);
  it.each(withParams.map((endpoint) => [endpoint.name, endpoint] as const))(
    '%s answers 404 for an id that is nobody’s',
    async (_, endpoint) => {
      const bodies: Readonly<Record<string, unknown>> = {
        updateStatusPage: { name: 'p', url: 'u', cards: [] },
        updateVariable: { value: 'v' },
        updateService: { name: 's' },
        updateCheckGroupV2: { name: 'g' },
      };
      const body = bodies[endpoint.name] ?? (endpoint.body ? {} : undefined);
      const answer = await ask(service, endpoint, { params: paramsOf(endpoint), body });
      expect(answer).toMatchObject({ status: 404, body: { ...shape(404), error: 'Not Found' } });
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
      await call(service, contract.createAlertChannel, { body: { type: 'SLACK', config: { url: 'u' } } })
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
      [`PUT /v1/check-groups/${group}`, {}],
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
    expect(await send(service, 'GET /v1/nothing')).toMatchObject({ status: 404, body: shape(404) });
    const { status, headers, body } = await send(service, 'PATCH /v1/snippets/7', {});
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('DELETE, GET, PUT');
    expect(body).toEqual({ ...shape(405), error: 'Method Not Allowed' });
    expect(await raw(`PROPFIND /v1/checks HTTP/1.1\r\n${authorized()}connection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 405/,
    );
  });
});

describe('a body', () => {
  const post = async (body: string | Buffer, type: string | undefined = 'application/json') => {
    const response = await fetch(`${service.url}/v1/snippets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.apiKey}`, ...(type ? { 'content-type': type } : {}) },
      body,
    });
    return { status: response.status, body: (await response.json()) as { message: string } };
  };

  it.each([
    ['that is no JSON', '{', 400, 'not JSON'],
    ['that is empty', '', 400, 'the body must be an object'],
    ['that is null', 'null', 400, 'the body must be an object'],
    ['that is a list', '[]', 400, 'the body must be an object'],
    ['that nests a thousand deep', '{"a":'.repeat(1000) + '}'.repeat(1000), 400, 'nests deeper'],
    ['with a prototype in it', '{"__proto__":{"name":"n"},"script":""}', 400, '__proto__'],
    ['with a NUL in it', '{"name":"a\\u0000b","script":""}', 400, 'NUL'],
    ['with a number beyond numbers', '{"name":"n","script":"","id":1e999}', 400, 'id is not a field'],
    ['of too many values', `[${'1,'.repeat(20_000)}1]`, 413, 'values'],
    ['that is too large', `"${'x'.repeat(1024 * 1024)}"`, 413, 'larger'],
  ])('%s is refused', async (_, body, status, message) => {
    const answer = await post(body);
    expect(answer).toMatchObject({ status, body: shape(status) });
    expect(answer.body.message).toContain(message);
    expect((await send(service, 'GET /health')).status).toBe(200);
  });

  it('is JSON, whatever else it calls itself', async () => {
    const body = '{"name":"n","script":""}';
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data', 'nonsense']) {
      expect(await post(body, type)).toMatchObject({ status: 415, body: shape(415) });
    }
    expect((await post(body, 'application/json; charset=utf-8')).status).toBe(201);
    expect((await post(body, 'application/merge-patch+json')).status).toBe(201);
  });

  it('is not sent where none is taken', async () => {
    const { id } = await call(service, contract.createSnippet, { body: { name: 'n', script: '' } });
    const line = `DELETE /v1/snippets/${id}`;
    expect(await send(service, line, { force: true })).toMatchObject({ status: 400, body: shape(400) });
    expect((await send(service, line, {})).status).toBe(204);
  });

  it('of any shape never breaks the service', () => surviveBodies(service));
});

describe('an address', () => {
  it.each([
    ['/v1/variables/%E0%A4%A', 400],
    ['/v1/variables/a%00b', 400],
    ['/v1/checks?search=%00', 400],
    ['/v1/checks?search=%E0%A4%A', 400],
    ['/v1/checks?serch=x', 400],
    ['/v1/checks?limit=0', 400],
    ['/v1/checks?limit=101', 400],
    ['/v1/checks?limit=ten', 400],
    ['/v1/checks?limit=1&limit=2', 400],
    ['/v1/checks?page=1.5', 400],
    ['/v1/checks?page=1e15', 200],
    ['/v1/checks?page=1e300', 400],
    ['/v1/checks/not-a-uuid', 400],
    ['/v1/snippets/seven', 400],
    ['/v1/variables/A_KEY_OF_NOBODY', 404],
    ['/v1/maintenance-windows?startsAt={"gte":"2026-11-21"}', 200],
    ['/v1/maintenance-windows?startsAt={"gte":"2026-13-21"}', 400],
    ['/v1/maintenance-windows?startsAt[between]=2026-11-21', 400],
    ['/v2/check-sessions/00000000-0000-4000-8000-000000000000/completion?maxWaitSeconds=31', 400],
  ])('%s answers %i', async (path, status) => {
    const answer = await send(service, `GET ${path}`);
    expect(answer.status).toBe(status);
    if (status >= 400) expect(answer.body).toEqual(shape(status));
  });

  it('of any query never breaks the service', () => surviveQueries(service));

  it('may spell a UUID in any case', async () => {
    const check = await call(service, contract.createDnsCheck, {
      body: { name: 'd', request: { query: 'example.com' }, heartbeat: {}, script: '' },
    });
    const id = String(check.id).toUpperCase();
    expect(await call(service, contract.getCheck, { params: { id } })).toMatchObject({ id: check.id });
  });

  it('with a name too long for any id is refused', async () => {
    const answer = await send(service, `GET /v1/check-results/${'x'.repeat(2000)}`);
    expect(answer).toMatchObject({ status: 414, body: shape(414) });
  });

  it('of the deprecated listing spans at most six hours', async () => {
    const check = await call(service, contract.createDnsCheck, {
      body: { name: 'd', request: { query: 'example.com' }, heartbeat: {}, script: '' },
    });
    const status = async (query: object) =>
      (await ask(service, contract.listCheckResultsDeprecated, { params: { checkId: check.id }, query }))
        .status;
    expect(await status({ from: 1_000_000, to: 1_021_600 })).toBe(200);
    expect(await status({ from: 1_000_000, to: 1_021_601 })).toBe(400);
    expect(await status({ from: 1e300 })).toBeLessThan(500);
    expect(
      await status({ hasFailures: true, location: 'eu-west-1', checkType: 'DNS', resultType: 'ALL' }),
    ).toBe(200);
  });
});

describe('what is no HTTP', () => {
  it.each([
    ['garbage', 'garbage\r\n\r\n', 400],
    [
      'two lengths',
      `POST /v1/snippets HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}`,
      400,
    ],
    [
      'a length and chunks',
      `POST /v1/snippets HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`,
      400,
    ],
    ['a NUL in the address', 'GET /v1/\0 HTTP/1.1\r\nhost: a\r\n\r\n', 400],
    ['headers without end', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
  ])('%s is answered in the same shape and hung up on', async (_, said, status) => {
    const answer = await raw(said);
    expect(answer.startsWith(`HTTP/1.1 ${status}`)).toBe(true);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual(shape(status));
    expect((await send(service, 'GET /health')).status).toBe(200);
  });

  it('is the rest of a pipeline after its first half was answered', async () => {
    const answer = await raw(`GET /v1/checks HTTP/1.1\r\n${authorized()}\r\ngarbage\r\n\r\n`);
    expect(answer).toMatch(/HTTP\/1.1 400/);
  });

  it('is a request that does not arrive in time', async () => {
    const slow = await startTestService({ limits: { requestMs: 100 } });
    try {
      const socket = connect(slow.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(
        `POST /v1/snippets HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${slow.apiKey}\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{`,
      );
      expect(await text(socket)).toMatch(/^HTTP\/1.1 408/);
    } finally {
      await slow.close();
    }
  });
});

describe('rates', () => {
  it('are held per key, and tell when to come again', async () => {
    const limited = await startTestService({
      limits: {
        rates: {
          standard: { requests: 3, windowSeconds: 60 },
          'deprecated-listing': { requests: 5, windowSeconds: 10 },
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
      expect(body).toEqual({ ...shape(429), statusCode: 429, error: 'Too Many Requests' });
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
    expect(await send(open, 'GET /health')).toMatchObject({
      status: 200,
      body: { status: 'ok', version: '0.0.0' },
    });
    expect(await send(open, 'GET /openapi.json')).toMatchObject({ status: 200, body: { openapi: '3.1.0' } });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/sonde_http_requests_total\{method="GET",route="\/health",status="200"\} \d/);
    expect(metrics).toMatch(/sonde_attempts_queued \d/);
    const proxied = await fetch(`${service.url}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.9' } });
    expect(proxied.status).toBe(401);
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
