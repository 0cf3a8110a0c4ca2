/** Masks sent to a service: whichever way a secret is written, no mask becomes the secret. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { changed, everyType } from '../projects/project.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const MASKS = ['***', '***-45e3d2', 'x***y'];
const hidden = (value: string) => [{ key: 'TOKEN', value, secret: true }];
const request = (value: string, password: string) => ({
  ...{ url: 'https://api.example/', method: 'GET' },
  headers: [{ key: 'x-key', value, locked: true }],
  basicAuth: { username: 'me', password },
});
const webhook = (webhookSecret: string, value = 'a') => ({
  type: 'WEBHOOK',
  config: {
    ...{ name: 'hook', url: 'https://hooks.example/1', webhookSecret },
    headers: [{ key: 'x-key', value, locked: true }],
  },
});

/** Each way to write a secret; PUT and PATCH change a resource that holds one. */
const resources: readonly (readonly [path: string, make: (value: string) => object])[] = [
  ['/v1/variables', (value) => ({ key: 'TOKEN', value, secret: true })],
  ['/v1/variables', (value) => ({ key: 'LOCKED', value, locked: true })],
  ['/v1/checks/api', (value) => ({ name: 'a', request: request(value, 'word') })],
  ['/v1/checks/api', (value) => ({ name: 'a', request: request('key', value) })],
  [
    '/v1/checks/api',
    (value) => ({ name: 'a', request: request('', ''), environmentVariables: hidden(value) }),
  ],
  [
    '/v1/checks/browser',
    (password) => ({
      ...{ name: 'b', script: 'console.log(1)' },
      playwrightConfig: { use: { httpCredentials: { username: 'me', password } } },
    }),
  ],
  ['/v1/check-groups', (value) => ({ name: 'g', environmentVariables: hidden(value) })],
  ['/v1/check-groups', (value) => ({ name: 'g', apiCheckDefaults: request(value, 'word') })],
  [
    '/v1/check-groups',
    (value) => ({ name: 'g', apiCheckDefaults: { basicAuth: { username: 'a', password: value } } }),
  ],
  ['/v1/alert-channels', (value) => webhook(value)],
  ['/v1/alert-channels', (value) => webhook('signs', value)],
  ['/v1/alert-channels', (value) => ({ type: 'NTFY', config: { topic: value.replaceAll(' ', '-') } })],
];

const withoutMethod = (body: object): object =>
  JSON.parse(JSON.stringify(body, (key, value: unknown) => (key === 'method' ? undefined : value)));

it.each(resources)('%s refuses masks when it is created and changed (%#)', async (path, make) => {
  const of = (value: string) => (path.endsWith('groups') ? withoutMethod(make(value)) : make(value));
  for (const mask of MASKS)
    expect(await send(service, `POST ${path}`, of(mask)), mask).toMatchObject({ status: 400 });
  const created = await send(service, `POST ${path}`, of('a secret'));
  expect(created).toMatchObject({ status: 201 });
  const { id, key } = created.body as { readonly id?: unknown; readonly key?: string };
  for (const mask of MASKS)
    expect(await send(service, `PUT ${path}/${key ?? id}`, of(mask)), mask).toMatchObject({ status: 400 });
  expect(await send(service, `PUT ${path}/${key ?? id}`, of('another secret'))).toMatchObject({
    status: 200,
  });
});

it('a variable whose change does not say that it is secret keeps its value', async () => {
  await send(service, 'POST /v1/variables', { key: 'HIDDEN', value: 'a secret', secret: true });
  for (const value of MASKS)
    expect(await send(service, 'PUT /v1/variables/HIDDEN', { value })).toMatchObject({ status: 400 });
  const stored = await service.store.variables.byKey(service.accountId, 'HIDDEN');
  expect(stored?.body.value).toBe('a secret');
});

it('a batch and a deployment refuse masks, too', async () => {
  const body = { key: 'B', value: '***', secret: true };
  const batch = await send(service, 'POST /v1/batch', { requests: [{ operation: 'createVariable', body }] });
  expect([batch.status, JSON.stringify(batch.body)]).toEqual([400, expect.stringContaining('*** hides')]);
  const project = changed(everyType, 'api', (payload) => ({
    ...payload,
    environmentVariables: [{ key: 'TOKEN', value: '***', secret: true }],
  }));
  const deployed = await send(service, 'POST /v1/projects/deploy', project);
  expect([deployed.status, JSON.stringify(deployed.body)]).toEqual([
    400,
    expect.stringContaining('*** hides'),
  ]);
});

it('the password of Playwright credentials is kept for its user and origin alone', async () => {
  const at = (more: object, use: object = {}) => ({
    playwrightConfig: { use: { ...use, httpCredentials: { username: 'me', ...more } } },
  });
  const origin = 'https://shop.example';
  const base = { baseURL: `${origin}/a` };
  const made = await send(service, 'POST /v1/checks/browser', {
    ...{ name: 'b', script: 'console.log(1)' },
    ...at({ password: 'a secret', origin }, base),
  });
  const { id } = made.body as { id: string };
  const put = (body: object) => send(service, `PUT /v1/checks/browser/${id}`, body);
  const stored = async () => (await service.store.checks.get(service.accountId, id))?.body;
  for (const moved of [
    at({ origin: 'https://evil.example' }, base),
    at({ password: '', origin: 'https://evil.example' }, base),
    at({}, base),
    at({ username: 'you', origin }, base),
    at({ origin }, { baseURL: 'https://evil.example' }),
  ])
    expect(await put(moved), JSON.stringify(moved)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('must be given again') as string },
    });
  for (const same of [at({ origin }, base), at({ password: '', origin }, { baseURL: `${origin}/b` })]) {
    expect((await put(same)).status).toBe(200);
    expect(await stored()).toMatchObject(at({ password: 'a secret', origin }));
  }
  expect((await put(at({ password: 'another', origin: 'https://new.example' }))).status).toBe(200);
});
