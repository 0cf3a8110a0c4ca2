/** The subscriptions of a status page as its owner sees them, over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { startTestService } from '../../../support/service.ts';
import { get, makePage, post, startWorld, tokenIn, type World } from '../pages/world.ts';
import { violations } from './support.ts';

const HOUR_MS = 60 * 60 * 1000;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const list = (statusPageId: string) =>
  call(world, contract.listPageSubscriptions, { params: { statusPageId } });
const create = (statusPageId: string, addresses: readonly string[], autoVerify?: boolean) =>
  ask(world, contract.createPageSubscriptions, {
    params: { statusPageId },
    body: {
      subscriptions: addresses.map((config) => ({ type: 'EMAIL' as const, config })),
      ...(autoVerify === undefined ? {} : { autoVerify }),
    },
  });
const confirmations = async (address: string): Promise<string[]> =>
  (
    await world.store.db.selectFrom('outbox').select('payload').where('recipient', '=', address).execute()
  ).map(({ payload }) => payload ?? '');

it('are created with a confirmation by e-mail, or without one for addresses that the owner vouches for', async () => {
  const { id } = await makePage(world, 'owned', []);
  expect(await create(id, ['ada@example.com', 'Ada@EXAMPLE.com', 'bob@example.com'])).toMatchObject({
    status: 201,
    body: { created: 2, skipped: 1, status: 'PENDING' },
  });
  world.step(1000);
  expect(await create(id, ['cy@example.com', 'bob@example.com'], true)).toMatchObject({
    body: { created: 1, skipped: 1, status: 'VERIFIED' },
  });
  const [newest, ...others] = await list(id);
  expect(newest).toMatchObject({ type: 'EMAIL', address: 'cy@example.com', status: 'VERIFIED' });
  expect(others.map(({ address, status }) => `${address} ${status}`).toSorted()).toEqual([
    'ada@example.com PENDING',
    'bob@example.com PENDING',
  ]);
  expect(await confirmations('cy@example.com')).toEqual([]);
  const [mail = ''] = await confirmations('ada@example.com');
  const link = /\/status\/owned\/confirm\/[\w-]+/.exec(mail)?.[0] ?? '';
  expect((await post(world, link, {})).status).toBe(200);
  expect((await list(id)).find(({ address }) => address === 'ada@example.com')?.status).toBe('VERIFIED');
  world.step(49 * HOUR_MS);
  expect((await list(id)).map(({ address }) => address).toSorted()).toEqual([
    'ada@example.com',
    'cy@example.com',
  ]);
});

it('do not show the secrets of a webhook', async () => {
  const { id } = await makePage(world, 'hooks', []);
  const token = tokenIn(await (await get(world, '/status/hooks/subscribe')).text());
  const address = 'https://hooks.example.com/secret-path?key=secret';
  await post(world, '/status/hooks/subscribe', { kind: 'WEBHOOK', address, token });
  expect(await list(id)).toMatchObject([
    { type: 'WEBHOOK', address: 'hooks.example.com', status: 'PENDING' },
  ]);
});

it('are pending again once the key of a private page has changed', async () => {
  const { id } = await makePage(world, 'private', []);
  const params = { statusPageId: id };
  await call(world, contract.updateStatusPageAccess, { params, body: { isPrivate: true } });
  await create(id, ['ada@example.com'], true);
  expect(await list(id)).toMatchObject([{ status: 'VERIFIED' }]);
  await call(world, contract.updateStatusPageAccess, { params, body: { newKey: true } });
  expect(await list(id)).toMatchObject([{ status: 'PENDING' }]);
});

it('are deleted only from their page', async () => {
  const { id } = await makePage(world, 'first', []);
  const other = await makePage(world, 'second', []);
  await create(id, ['ada@example.com'], true);
  const [{ id: subscriptionId } = { id: '' }] = await list(id);
  const remove = (statusPageId: string) =>
    ask(world, contract.deletePageSubscription, { params: { statusPageId, subscriptionId } });
  expect((await remove(other.id)).status).toBe(404);
  expect(await list(id)).toHaveLength(1);
  expect((await remove(id)).status).toBe(204);
  expect(await list(id)).toEqual([]);
  expect((await remove(id)).status).toBe(404);
});

it('are listed in full, however many there are', async () => {
  const { id } = await makePage(world, 'many', []);
  const addresses = Array.from({ length: 1001 }, (_, number) => `a${number}@example.com`);
  await world.store.transaction(async (tx) => {
    for (const address of addresses)
      await tx.subscribers.add(id, address, { isConfirmed: true, keyHash: null });
  });
  expect((await list(id)).map(({ address }) => address).toSorted()).toEqual(addresses.toSorted());
});

it('name an address that is none, and need a service that sends e-mails', async () => {
  const { id } = await makePage(world, 'refused', []);
  const bad = await create(id, ['ada@example.com', 'localhost']);
  expect([bad.status, violations(bad.body)]).toMatchObject([400, [{ path: 'subscriptions[1].config' }]]);
  expect(await list(id)).toEqual([]);
  const silent = await startTestService();
  try {
    const page = await call(silent, contract.createStatusPage, { body: { name: 'p', url: 'p', cards: [] } });
    const refused = await ask(silent, contract.createPageSubscriptions, {
      params: { statusPageId: page.id },
      body: { subscriptions: [{ type: 'EMAIL', config: 'ada@example.com' }] },
    });
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { message: expect.stringContaining('set SONDE_SMTP_URL') },
    ]);
  } finally {
    await silent.close();
  }
});

it('are at most 10,000 that are confirmed, however they come', async () => {
  const { id } = await makePage(world, 'crowded', []);
  await create(id, ['pending@example.com']);
  await world.store.transaction(async (tx) => {
    for (let index = 0; index < 9_999; index += 1)
      await tx.subscribers.add(id, `s${index}@example.com`, { isConfirmed: true, keyHash: null });
  });
  const tooMany = { status: 409, body: { message: expect.stringContaining('only 1 of 10,000') } };
  expect(await create(id, ['a@example.com', 'b@example.com'], true)).toMatchObject(tooMany);
  expect(await create(id, ['last@example.com'], true)).toMatchObject({ status: 201 });
  const full = { status: 409, body: { message: expect.stringContaining('its maximum of 10,000') } };
  for (const autoVerify of [true, false])
    expect(await create(id, ['one-more@example.com'], autoVerify)).toMatchObject(full);
  const [mail = ''] = await confirmations('pending@example.com');
  const link = /\/status\/crowded\/confirm\/[\w-]+/.exec(mail)?.[0] ?? '';
  expect((await post(world, link, {})).status).toBe(409);
});
