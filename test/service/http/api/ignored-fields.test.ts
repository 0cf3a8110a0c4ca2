/** Fields that an endpoint does not have: ignored, named in a header and in the log, and refused with strict=true. */
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { joinNames } from '../../../../src/service/http/api/ignored-fields.ts';
import { ask, call } from '../../../support/call.ts';
import { send } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { dns, violations } from './support.ts';

const lines: string[] = [];
let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    logger: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
  });
});
afterAll(() => service.close());

/** The log lines about ignored fields since the last call. */
const warnings = () =>
  lines
    .splice(0)
    .map((line) => JSON.parse(line) as { msg: string; fields: string; route: string })
    .filter(({ msg }) => msg === 'ignored unknown fields');

const created = { id: 'x', created_at: '2026-01-01', activatd: false };

describe('unknown fields of a body', () => {
  it('are ignored at every level, named in a header, and unknown ones are logged without values', async () => {
    const request = { ...dns.request, foo: 'topsecret', assertions: null };
    const { status, headers, body } = await send(service, 'POST /v1/checks/dns', {
      ...dns,
      ...created,
      request,
    });
    expect(status).toBe(201);
    expect(headers.get('x-ignored-fields')?.split(', ').sort()).toEqual([
      'activatd',
      'created_at',
      'id',
      'request.foo',
    ]);
    expect(warnings()).toMatchObject([{ route: '/v1/checks/dns', fields: 'request.foo, activatd' }]);
    const { id } = body as { id: string };
    const stored = JSON.stringify((await service.store.checks.get(service.accountId, id))?.body);
    expect(stored).not.toContain('topsecret');
    expect(stored).not.toContain('activatd');
    expect(lines.join()).not.toContain('topsecret');
  });

  it('are ignored for a check of any type', async () => {
    const made = await send(service, 'POST /v1/checks', { checkType: 'DNS', ...dns, ...created });
    expect(made).toMatchObject({ status: 201 });
    expect(made.headers.get('x-ignored-fields')).toContain('activatd');
    const { id } = made.body as { id: string };
    const changed = await send(service, `PUT /v1/checks/${id}`, { request: { ...dns.request, foo: 1 } });
    expect(changed).toMatchObject({ status: 200 });
    expect(changed.headers.get('x-ignored-fields')).toBe('request.foo');
    for (const path of [`/v1/checks/${id}`, `/v1/checks/dns/${id}`])
      expect((await send(service, `PUT ${path}?autoAssignAlerts=false`, { name: 'd' })).status).toBe(200);
    expect(warnings()).toHaveLength(2);
  });

  it('are named when the request is refused', async () => {
    const { status, headers, body } = await send(service, 'POST /v1/snippets', { nmae: 'n', script: '' });
    expect(status).toBe(400);
    expect(violations(body)).toMatchObject([{ path: 'name', message: 'is required' }]);
    expect(headers.get('x-ignored-fields')).toBe('nmae');
  });

  it('are refused with strict=true', async () => {
    for (const [path, body] of [
      ['/v1/checks/dns', { ...dns, foo: 1 }],
      ['/v1/checks', { checkType: 'DNS', ...dns, foo: 1 }],
    ] as const) {
      const answer = await send(service, `POST ${path}?strict=true`, body);
      expect(answer.status).toBe(400);
      expect(violations(answer.body)).toMatchObject([{ path: 'foo', message: 'is not a known field' }]);
      expect((await send(service, `POST ${path}?strict=false`, body)).status).toBe(201);
    }
  });

  it('leave a wrong value refused', async () => {
    const { body } = await send(service, 'POST /v1/snippets', { name: 7, script: null, foo: 1 });
    expect(violations(body).map(({ path }) => path)).toEqual(['name', 'script']);
  });
});

describe('null', () => {
  it('is an empty list for a list, and an absent field for an optional one', async () => {
    const { status, headers, body } = await send(service, 'POST /v1/checks/dns', {
      ...dns,
      tags: null,
      alertChannelSubscriptions: null,
      triggerIncident: null,
      frequency: null,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ tags: [], frequency: 10, triggerIncident: null });
    expect(headers.get('x-ignored-fields')).toBe('frequency');
    const bare = { name: 'd', request: { query: 'example.com' } };
    expect((await send(service, 'POST /v1/checks/dns', bare)).status).toBe(201);
    const nulls = { ...bare, heartbeat: null, script: null };
    expect((await send(service, 'POST /v1/checks/dns', nulls)).status).toBe(201);
    expect((await send(service, 'POST /v1/checks/dns', { ...bare, name: null })).status).toBe(400);
  });
});

describe('unknown query parameters', () => {
  it('are ignored and named, also in a repeated request', async () => {
    const { id } = await call(service, contract.createDnsCheck, { body: dns });
    warnings();
    for (const _ of [1, 2]) {
      const { status, headers } = await send(service, `GET /v1/checks/${id}?foo=1`);
      expect([status, headers.get('x-ignored-fields')]).toEqual([200, 'query.foo']);
    }
    expect(warnings()).toMatchObject([{ fields: 'query.foo' }, { fields: 'query.foo' }]);
    const plain = await send(service, `GET /v1/checks/${id}`);
    expect(plain.headers.has('x-ignored-fields')).toBe(false);
  });
});

describe('the names in the header', () => {
  it('have no control characters and a bounded length', () => {
    expect(joinNames(['a\r\nx-evil: 1', 'b,c', 'ü%'])).toBe('a%0D%0Ax-evil:%201, b%2Cc, %C3%BC%25');
    const names = joinNames(Array.from({ length: 500 }, (_, index) => `field${index}`));
    expect(names.length).toBeLessThan(1100);
    expect(names).toMatch(/, and \d+ more$/);
  });
});

describe('the account header of other clients', () => {
  it('names the account of the key', async () => {
    const status = async (account: string) =>
      (await send(service, 'GET /v1/snippets', undefined, { 'x-checkly-account': account })).status;
    expect(await status(service.accountId)).toBe(200);
    expect(await status('00000000-0000-4000-8000-000000000000')).toBe(403);
  });
});

describe('the alert channels of a check', () => {
  it('are lists by type with every active channel', async () => {
    const as = { ...service, ...(await service.newAccount()) };
    for (const address of ['a@example.com', 'b@example.com'])
      await call(as, contract.createAlertChannel, { body: { type: 'EMAIL', config: { address } } });
    const { id } = await call(as, contract.createDnsCheck, { body: dns });
    const check = await ask(as, contract.getCheck, { params: { id: String(id) } });
    expect(check.body).toMatchObject({
      alertChannels: { email: [{ address: 'a@example.com' }, { address: 'b@example.com' }] },
    });
  });
});

describe('what is sent back', () => {
  it('adds only incident updates without an ID, and changes none', async () => {
    const { id: serviceId } = await call(service, contract.createService, { body: { name: 'shop' } });
    const first = { status: 'INVESTIGATING', description: 'We look into it.' } as const;
    const incident = await call(service, contract.createIncident, {
      body: {
        name: 'Down',
        severity: 'MAJOR',
        services: [{ id: serviceId ?? '' }],
        incidentUpdates: [first],
      },
    });
    const second = { status: 'RESOLVED', description: 'It works again.' } as const;
    const update = (incidentUpdates: readonly object[]) =>
      send(service, `PUT /v1/status-pages/incidents/${incident.id}`, { incidentUpdates });
    expect((await update([...incident.incidentUpdates, second])).body).toMatchObject({
      lastUpdateStatus: 'RESOLVED',
      incidentUpdates: [second, incident.incidentUpdates[0]],
    });
    const [existing] = incident.incidentUpdates;
    const changed = await update([{ ...first, id: existing?.id, description: 'Other words.' }]);
    expect(violations(changed.body)).toMatchObject([{ path: 'incidentUpdates[0]' }]);
    const unknown = await update([{ ...first, id: 'x' }]);
    expect(violations(unknown.body)).toMatchObject([{ path: 'incidentUpdates[0].id' }]);
  });

  it('keeps the value of a secret variable, and does not show it', async () => {
    await call(service, contract.createVariable, {
      body: { key: 'TOKEN', value: 'topsecret', secret: true },
    });
    const read = await send(service, 'GET /v1/variables/TOKEN');
    expect((await send(service, 'PUT /v1/variables/TOKEN', read.body)).status).toBe(200);
    expect((await send(service, 'PUT /v1/variables/TOKEN', { value: '' })).status).toBe(200);
    const stored = await service.store.variables.byKey(service.accountId, 'TOKEN');
    expect(stored?.body).toMatchObject({ value: 'topsecret', secret: true });
    const shown = await send(service, 'PUT /v1/variables/TOKEN', { secret: false });
    expect(violations(shown.body)).toMatchObject([{ path: 'value' }]);
  });

  it('keeps locked headers of the API defaults of a group', async () => {
    const headers = [{ key: 'x-token', value: 'topsecret', locked: true }];
    const made = await send(service, 'POST /v1/check-groups', { name: 'g', apiCheckDefaults: { headers } });
    expect(JSON.stringify(made.body)).not.toContain('topsecret');
    const { id } = made.body as { id: number };
    expect((await send(service, `PUT /v1/check-groups/${id}`, made.body)).status).toBe(200);
    const stored = await service.store.groups.get(service.accountId, id);
    expect(stored?.body.apiCheckDefaults).toMatchObject({ headers });
  });

  it('has zero and empty values for what is not set', async () => {
    const unset = { ...dns, groupId: 0, setupSnippetId: 0, runtimeId: '' };
    expect(await send(service, 'POST /v1/checks/dns', unset)).toMatchObject({
      status: 201,
      body: { groupId: null, runtimeId: null },
    });
    const window = { name: 'w', startsAt: '2027-01-01T00:00:00Z', endsAt: '2027-01-02T00:00:00Z' };
    expect(
      await send(service, 'POST /v1/maintenance-windows', { ...window, repeatInterval: 0 }),
    ).toMatchObject({
      status: 201,
      body: { repeatUnit: null, repeatInterval: null },
    });
    const dashboard = { header: 'h', customUrl: '', refreshRate: 0, paginationRate: 0 };
    expect(await send(service, 'POST /v1/dashboards', dashboard)).toMatchObject({
      status: 201,
      body: { refreshRate: 60, paginationRate: 60 },
    });
  });
});

it('refuses a body without any field of the endpoint, such as an error answer', async () => {
  const group = await send(service, 'POST /v1/check-groups', { name: 'kept', tags: ['a'] });
  const { id } = group.body as { id: number };
  const missing = await send(service, 'GET /v1/check-groups/999999');
  const written = await send(service, `PUT /v1/check-groups/${id}`, missing.body);
  expect(written.status).toBe(400);
  expect(written.body).toMatchObject({
    message: 'the body must contain a field of this endpoint, and contains only statusCode, error, message …',
  });
  expect((await send(service, `GET /v1/check-groups/${id}`)).body).toMatchObject({ tags: ['a'] });
});
