/** Checks over the API: created, changed, listed and deleted. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { send } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { dns, violations } from './support.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const browser = { name: 'the shop opens', script: "await page.goto('https://example.com')" };

describe('creating a check', () => {
  it('answers a DNS check with its defaults and without what DNS has no use for', async () => {
    const check = await call(service, contract.createDnsCheck, {
      body: { ...dns, tags: ['shop'], scriptPath: 'x.js', environmentVariables: [{ key: 'A', value: 'b' }] },
    });
    expect(check).toMatchObject({
      checkType: 'DNS',
      name: 'example.com resolves',
      request: { query: 'example.com', recordType: 'A', protocol: 'UDP' },
      tags: ['shop'],
      frequency: 10,
      activated: true,
      muted: false,
      degradedResponseTime: 500,
      maxResponseTime: 1000,
      alertChannels: {},
      alertChannelSubscriptions: [],
      updated_at: null,
    });
    expect(check.frequencyOffset).toBeGreaterThanOrEqual(1);
    expect(check.frequencyOffset).toBeLessThanOrEqual(100);
    expect(Object.keys(check)).not.toEqual(expect.arrayContaining(['script']));
    expect(await call(service, contract.getCheck, { params: { id: String(check.id) } })).toMatchObject(check);
  });

  it('runs every 30 seconds at frequency 0 where nothing else is said', async () => {
    const check = await call(service, contract.createDnsCheck, { body: { ...dns, frequency: 0 } });
    expect(check).toMatchObject({ frequency: 0, frequencyOffset: 30 });
  });

  it('answers a browser check with its script, and hides what is secret', async () => {
    const check = await call(service, contract.createBrowserCheck, {
      body: {
        ...browser,
        environmentVariables: [
          { key: 'SHOP', value: 'eu' },
          { key: 'TOKEN', value: 'hidden', secret: true },
        ],
      },
    });
    expect(check).toMatchObject({
      checkType: 'BROWSER',
      script: browser.script,
      environmentVariables: [
        { key: 'SHOP', value: 'eu' },
        { key: 'TOKEN', value: '', secret: true },
      ],
    });
    expect(JSON.stringify(check)).not.toContain('hidden');
  });

  it('takes the type from the body where the path names none', async () => {
    const check = await call(service, contract.createCheck, {
      body: { checkType: 'BROWSER', ...browser } as { checkType: 'BROWSER'; name: string },
    });
    expect(check).toMatchObject({ checkType: 'BROWSER', name: browser.name });
    const untyped = await ask(service, contract.createCheck, { body: browser });
    expect(violations(untyped.body)).toMatchObject([{ path: 'checkType', message: 'is required' }]);
    const wrong = await ask(service, contract.createCheck, { body: { checkType: 'DNS', ...browser } });
    expect(violations(wrong.body).map(({ path }) => path)).toEqual(expect.arrayContaining(['request']));
  });

  it('subscribes it to every channel there is, once, at creation', async () => {
    const own = await service.newAccount();
    const as = { ...service, ...own };
    const mail = await call(as, contract.createAlertChannel, {
      body: { type: 'EMAIL', config: { address: 'ops@example.com' } },
    });
    const hook = await call(as, contract.createAlertChannel, {
      body: {
        type: 'WEBHOOK',
        config: {
          name: 'hook',
          url: 'https://example.com/hook',
          method: 'POST',
          headers: [
            { key: 'x-a', value: 'seen' },
            { key: 'x-b', value: 'unseen', locked: true },
          ],
        },
      },
    });
    const check = await call(as, contract.createDnsCheck, {
      body: { ...dns, alertChannelSubscriptions: [{ alertChannelId: mail.id, activated: false }] },
    });
    expect(check.alertChannelSubscriptions).toEqual([
      { alertChannelId: mail.id, activated: false },
      { alertChannelId: hook.id, activated: true },
    ]);
    expect(check.alertChannels).toEqual({
      webhook: [
        {
          name: 'hook',
          url: expect.stringMatching(/^https:\/\/example\.com\/\*{3}-[0-9a-f]{6}$/),
          method: 'POST',
          headers: [
            { key: 'x-a', value: 'seen', locked: false },
            { key: 'x-b', locked: true },
          ],
        },
      ],
    });
    const alone = await call(as, contract.createDnsCheck, { query: { autoAssignAlerts: false }, body: dns });
    expect(alone.alertChannelSubscriptions).toEqual([]);
    await call(as, contract.createAlertChannel, {
      body: { type: 'SLACK', config: { url: 'https://a.example' } },
    });
    const later = await call(as, contract.getCheck, { params: { id: String(check.id) } });
    expect((later as typeof check).alertChannelSubscriptions).toHaveLength(2);
  });

  it('tells every violation at once, with what is allowed and what was meant', async () => {
    const { status, body } = await send(service, 'POST /v1/checks/dns?strict=true', {
      name: 'x',
      request: { query: 'example.com', nameServer: '9.9.9.9', protocol: 'UDPP' },
      heartbeat: {},
      script: '',
      frequency: 7,
      locations: ['eu-west-9'],
      activatd: true,
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ statusCode: 400, error: 'Bad Request' });
    expect((body as { message: string }).message).toContain('and 2 more');
    expect(violations(body)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          in: 'body',
          path: 'request.port',
          message: expect.stringContaining('required'),
        }),
        expect.objectContaining({ path: 'request.protocol', nearest: 'UDP', allowed: ['UDP', 'TCP'] }),
        expect.objectContaining({ path: 'frequency', nearest: '5', keyword: 'enum' }),
        expect.objectContaining({ path: 'locations[0]' }),
        expect.objectContaining({ path: 'activatd', nearest: 'activated', keyword: 'additionalProperties' }),
      ]),
    );
  });

  it('names what is referred to and not there', async () => {
    const { status, body } = await ask(service, contract.createDnsCheck, {
      body: {
        ...dns,
        groupId: 4711,
        alertChannelSubscriptions: [{ alertChannelId: 1.5, activated: true }],
        setupSnippetId: 99,
        privateLocations: ['nowhere'],
        triggerIncident: { serviceId: 'none' },
      },
    });
    expect(status).toBe(400);
    expect(violations(body).map(({ path }) => path)).toEqual([
      'alertChannelSubscriptions[0].alertChannelId',
      'groupId',
      'setupSnippetId',
      'triggerIncident.serviceId',
      'privateLocations[0]',
    ]);
  });

  it('does not coerce what a body holds', async () => {
    const { body } = await ask(service, contract.createDnsCheck, {
      body: { ...dns, activated: 'true', request: { query: 'a.example', nameServer: '::1', port: '53' } },
    });
    expect(
      violations(body)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['activated', 'request.port']);
  });
});

describe('changing a check', () => {
  it('leaves alone what is left out', async () => {
    const made = await call(service, contract.createDnsCheck, { body: { ...dns, tags: ['a'], muted: true } });
    const id = String(made.id);
    const changed = await call(service, contract.updateDnsCheck, {
      params: { id },
      body: { name: 'renamed', frequency: 1 },
    });
    expect(changed).toMatchObject({
      ...made,
      name: 'renamed',
      frequency: 1,
      frequencyOffset: expect.any(Number),
      updated_at: expect.any(String),
    });
    expect(changed.frequencyOffset).toBeLessThanOrEqual(10);
  });

  it('judges the whole: an offset that does not go with the frequency it had', async () => {
    const { id } = await call(service, contract.createDnsCheck, { body: { ...dns, frequency: 1 } });
    const { status, body } = await ask(service, contract.updateDnsCheck, {
      params: { id },
      body: { frequencyOffset: 11 },
    });
    expect(status).toBe(400);
    expect(violations(body)).toMatchObject([{ path: 'frequencyOffset' }]);
  });

  it('shows a secret only with a new value', async () => {
    const { id } = await call(service, contract.createBrowserCheck, {
      body: { ...browser, environmentVariables: [{ key: 'T', value: 'hidden', secret: true }] },
    });
    const change = (variable: object) =>
      ask(service, contract.updateBrowserCheck, {
        params: { id },
        body: { environmentVariables: [{ key: 'T', ...variable }] } as never,
      });
    expect(await change({ value: '', secret: false })).toMatchObject({ status: 400 });
    const { status, body } = await change({ value: '' });
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain('hidden');
    const stored = await service.store.checks.get(service.accountId, String(id));
    expect(stored?.body.environmentVariables).toEqual([{ key: 'T', value: 'hidden', secret: true }]);
    expect(await change({ value: 'open', secret: false })).toMatchObject({ status: 200 });
  });

  it('keeps a secret that is sent back as it was shown', async () => {
    const { id } = await call(service, contract.createBrowserCheck, {
      body: { ...browser, environmentVariables: [{ key: 'T', value: 'hidden', secret: true }] },
    });
    await call(service, contract.updateBrowserCheck, {
      params: { id: String(id) },
      body: { environmentVariables: [{ key: 'T', value: '', secret: true }] },
    });
    const stored = await service.store.checks.get(service.accountId, String(id));
    expect(stored?.body.environmentVariables).toEqual([{ key: 'T', value: 'hidden', secret: true }]);
  });

  it('never changes its type', async () => {
    const { id } = await call(service, contract.createDnsCheck, { body: dns });
    const params = { id: String(id) };
    expect((await ask(service, contract.updateBrowserCheck, { params, body: { name: 'x' } })).status).toBe(
      404,
    );
    expect(
      (await ask(service, contract.updateCheck, { params, body: { checkType: 'BROWSER' } })).status,
    ).toBe(400);
    const unknown = await send(service, `PUT /v1/checks/${id}?strict=true`, { name: 'x', scrpt: '' });
    expect(violations(unknown.body)).toMatchObject([{ path: 'scrpt', nearest: 'script' }]);
    expect(await call(service, contract.updateCheck, { params, body: { name: 'x' } })).toMatchObject({
      name: 'x',
    });
  });
});

describe('listing checks', () => {
  it('pages, filters and tells the total', async () => {
    const as = { ...service, ...(await service.newAccount()) };
    for (const name of ['One', 'two', 'three']) {
      await call(as, contract.createDnsCheck, { body: { ...dns, name, tags: [name] } });
    }
    await call(as, contract.createBrowserCheck, { body: browser });
    const names = async (query: object) =>
      ((await ask(as, contract.listChecks, { query })).body as { name: string }[]).map(({ name }) => name);
    expect(await names({ search: 'ONE' })).toEqual(['One']);
    expect(await names({ tag: 'two' })).toEqual(['two']);
    expect(await names({ tag: 'two,none' })).toEqual(['two']);
    expect(await names({ checkType: 'BROWSER' })).toEqual([browser.name]);
    expect(await names({ status: 'failing' })).toEqual([]);
    const page = await ask(as, contract.listChecks, { query: { limit: 3, page: 2 } });
    expect(page.headers.get('content-range')).toBe('3-3/4');
    expect(page.body).toHaveLength(1);
    expect(await names({ page: 1e15 })).toEqual([]);
    expect(await call(as, contract.listChecks, {})).toHaveLength(4);
  });
});

describe('deleting a check', () => {
  it('answers nothing, and 404 from then on', async () => {
    const { id } = await call(service, contract.createDnsCheck, { body: dns });
    const params = { id: String(id) };
    await call(service, contract.deleteCheck, { params });
    expect((await ask(service, contract.deleteCheck, { params })).status).toBe(404);
    expect((await ask(service, contract.getCheck, { params })).status).toBe(404);
  });
});
