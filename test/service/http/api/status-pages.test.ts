/** What a status page shows: its cards, services and incidents. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { violations } from './support.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const fresh = async () => ({ ...service, ...(await service.newAccount()) });

describe('status pages', () => {
  const page = { name: 'Shop', cards: [] };

  it('keep the ids of cards that are sent back, and forget those that are not', async () => {
    const shop = await call(service, contract.createService, { body: { name: 'shop' } });
    const pay = await call(service, contract.createService, { body: { name: 'pay' } });
    const made = await call(service, contract.createStatusPage, {
      body: {
        ...page,
        url: 'shop',
        cards: [{ name: 'one', services: [{ id: String(shop.id) }] }, { name: 'two' }],
      },
    });
    expect(made).toMatchObject({ url: 'shop', defaultTheme: 'AUTO', isPrivate: false });
    expect(made.cards).toMatchObject([
      { name: 'one', services: [shop] },
      { name: 'two', services: [] },
    ]);
    const [one] = made.cards ?? [];
    const params = { statusPageId: made.id };
    const changed = await call(service, contract.updateStatusPage, {
      params,
      body: {
        name: 'Shop 2',
        url: 'shop',
        cards: [
          { name: 'new', id: 'made up', services: [{ id: String(pay.id) }] },
          { name: 'uno', id: String(one?.id), statusPageId: made.id },
        ],
      },
    });
    expect(changed.cards).toMatchObject([
      { name: 'new', services: [pay] },
      { ...one, name: 'uno', services: [], updated_at: expect.any(String) },
    ]);
    expect(changed.cards?.[0]?.id).not.toBe('made up');
    expect(await call(service, contract.getStatusPage, { params })).toEqual(changed);
    await call(service, contract.deleteService, { params: { id: String(pay.id) }, query: { force: true } });
    const [first] = (await call(service, contract.getStatusPage, { params })).cards ?? [];
    expect(first?.services).toEqual([]);
  });

  it('name only services that are there, and each card once', async () => {
    const made = await call(service, contract.createStatusPage, {
      body: { ...page, url: 'cards', cards: [{}] },
    });
    const id = String(made.cards?.[0]?.id);
    const { status, body } = await ask(service, contract.updateStatusPage, {
      params: { statusPageId: made.id },
      body: {
        ...page,
        url: 'cards',
        cards: [{ id, services: [{ id: 'none' }] }, { id }, { statusPageId: 'another' }],
      },
    });
    expect(status).toBe(400);
    expect(violations(body).map(({ path }) => path)).toEqual([
      'cards[1].id',
      'cards[2].statusPageId',
      'cards[0].services[0].id',
    ]);
  });

  it('have a url of their own, across accounts', async () => {
    await call(service, contract.createStatusPage, { body: { ...page, url: 'taken' } });
    const other = await fresh();
    const body = { ...page, url: 'taken' };
    expect((await ask(other, contract.createStatusPage, { body })).status).toBe(409);
    const mine = await call(other, contract.createStatusPage, { body: { ...page, url: 'free' } });
    const params = { statusPageId: mine.id };
    expect(await ask(other, contract.updateStatusPage, { params, body })).toMatchObject({
      status: 409,
      body: { message: 'Another status page already uses the address taken' },
    });
  });

  it('are listed by cursor', async () => {
    const as = await fresh();
    for (const url of ['p1', 'p2', 'p3'])
      await call(as, contract.createStatusPage, { body: { ...page, url } });
    const first = await call(as, contract.listStatusPages, { query: { limit: 2 } });
    expect(first).toMatchObject({ length: 2, entries: [{}, {}] });
    const last = await call(as, contract.listStatusPages, {
      query: { limit: 2, nextId: String(first.nextId) },
    });
    expect(last).toMatchObject({ length: 1, entries: [{}], nextId: null });
    // Of those made within one millisecond any may come first.
    const urls = [...first.entries, ...last.entries].map(({ url }) => url);
    expect(urls.toSorted()).toEqual(['p1', 'p2', 'p3']);
    const { status, body } = await ask(as, contract.listStatusPages, { query: { nextId: 'made up' } });
    expect(status).toBe(400);
    expect(violations(body)).toMatchObject([{ in: 'query', path: 'nextId' }]);
    await call(as, contract.deleteStatusPage, { params: { statusPageId: String(first.entries[0]?.id) } });
    expect((await call(as, contract.listStatusPages, {})).length).toBe(2);
  });
});

describe('incidents', () => {
  it('tell what was said of them, the newest first', async () => {
    const shop = await call(service, contract.createService, { body: { name: 'shop' } });
    await call(service, contract.updateService, { params: { id: String(shop.id) }, body: { name: 'Shop' } });
    const made = await call(service, contract.createIncident, {
      body: {
        name: 'Slow',
        severity: 'MINOR',
        services: [{ id: String(shop.id) }],
        incidentUpdates: [{ description: 'We look', status: 'INVESTIGATING' }],
      },
    });
    expect(made).toMatchObject({ lastUpdateStatus: 'INVESTIGATING', services: [{ name: 'Shop' }] });
    const params = { id: made.id };
    const changed = await call(service, contract.updateIncident, {
      params,
      body: { severity: 'MAJOR', incidentUpdates: [{ description: 'Done', status: 'RESOLVED' }] },
    });
    expect(changed).toMatchObject({ name: 'Slow', severity: 'MAJOR', lastUpdateStatus: 'RESOLVED' });
    expect(changed.incidentUpdates.map(({ description }) => description)).toEqual(['Done', 'We look']);
    expect(await call(service, contract.getIncident, { params })).toEqual(changed);
    expect((await call(service, contract.listIncidents, {})).entries).toContainEqual(changed);
    const unknown = await ask(service, contract.updateIncident, {
      params,
      body: { services: [{ id: 'none' }] },
    });
    expect(violations(unknown.body)).toMatchObject([{ path: 'services[0].id' }]);
    await call(service, contract.deleteIncident, { params });
    expect((await ask(service, contract.getIncident, { params })).status).toBe(404);
  });
});
