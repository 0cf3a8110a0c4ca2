/** Updates of an incident, over HTTP: added, corrected and deleted; the incident's state and the pages follow. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { get, makeIncident, makePage, makeServices, startWorld, type World } from '../pages/world.ts';
import { violations } from './support.ts';

const HOUR_MS = 60 * 60 * 1000;

let world: World;
let shop = '';
beforeAll(async () => {
  world = await startWorld();
  [shop = ''] = await makeServices(world, ['Shop']);
  await makePage(world, 'updates', [shop]);
});
afterAll(() => world.close());

const page = async () => (await get(world, '/status/updates')).text();
const feed = async () => (await get(world, '/status/updates/feed.atom')).text();
const incident = (id: string) => call(world, contract.getIncident, { params: { id } });
const add = (id: string, body: contract.BodyOf<typeof contract.createIncidentUpdate>) =>
  call(world, contract.createIncidentUpdate, { params: { id }, body });

describe('updates of an incident', () => {
  it('are added, and the newest one sets the status of the incident', async () => {
    const { id } = await makeIncident(world, [shop]);
    world.step(1000);
    const found = await add(id, { description: 'We found the cause.', status: 'IDENTIFIED' });
    expect(found).toMatchObject({
      ...{ description: 'We found the cause.', status: 'IDENTIFIED', notifySubscribers: false },
      ...{ created_at: expect.stringMatching(/Z$/), publicIncidentUpdateDate: found.created_at },
    });
    const more = await add(id, { description: 'A fix is under way.' });
    expect(more.status).toBe('IDENTIFIED');
    expect(await incident(id)).toMatchObject({ lastUpdateStatus: 'IDENTIFIED' });
    const listed = await call(world, contract.listIncidentUpdates, { params: { id } });
    expect(listed.map(({ description }) => description)).toEqual([
      'A fix is under way.',
      'We found the cause.',
      'We look for the cause.',
    ]);
    const params = { id, updateId: found.id };
    expect(await call(world, contract.getIncidentUpdate, { params })).toEqual(found);
    expect(await page()).toContain('A fix is under way.');
  });

  it('are corrected in place, and sending back an answer changes nothing', async () => {
    const { id } = await makeIncident(world, [shop]);
    const [first] = await call(world, contract.listIncidentUpdates, { params: { id } });
    const last = await add(id, { description: 'All is wel.', status: 'RESOLVED' });
    const params = { id, updateId: last.id };
    world.step(HOUR_MS);
    const changed = await call(world, contract.updateIncidentUpdate, {
      params,
      body: { description: 'All is well.' },
    });
    expect(changed).toEqual({ ...last, description: 'All is well.' });
    expect(await page()).not.toContain('All is wel.');
    const { updated_at: correctedAt } = await incident(id);
    expect(Date.parse(correctedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(last.created_at) + HOUR_MS);
    expect(await feed()).toContain(`<updated>${correctedAt}</updated>`);
    const before = (await incident(id)).incidentUpdates;
    for (const { id: updateId, created_at: _, ...body } of before)
      await call(world, contract.updateIncidentUpdate, {
        params: { id, updateId },
        body: body as contract.BodyOf<typeof contract.updateIncidentUpdate>,
      });
    expect((await incident(id)).incidentUpdates).toEqual(before);
    expect(before[1]?.id).toBe(first?.id);
  });

  it('reopen the incident if the one that resolved it is deleted or changed', async () => {
    const { id } = await makeIncident(world, [shop], { name: 'Orders time out' });
    world.step(1000);
    const params = { id, updateId: (await add(id, { description: 'Fixed.', status: 'RESOLVED' })).id };
    const open = async () => {
      const { incidents } = JSON.parse(await (await get(world, '/status/updates/status.json')).text()) as {
        readonly incidents: { readonly open: readonly { readonly name: string }[] };
      };
      return incidents.open.filter(({ name }) => name === 'Orders time out').length;
    };
    expect([(await incident(id)).lastUpdateStatus, await open()]).toEqual(['RESOLVED', 0]);
    world.step(2000);
    const resolved = await incident(id);
    const [last, first] = resolved.incidentUpdates.map(({ created_at }) => Date.parse(created_at));
    expect(resolved.duration).toBe(Number(last) - Number(first));
    const body = { description: 'Not yet.', status: 'MONITORING' } as const;
    await call(world, contract.updateIncidentUpdate, { params, body });
    expect([(await incident(id)).lastUpdateStatus, await open()]).toEqual(['MONITORING', 1]);
    expect((await incident(id)).duration).toBeGreaterThanOrEqual(3000);
    await call(world, contract.updateIncidentUpdate, { params, body: { ...body, status: 'RESOLVED' } });
    expect(await open()).toBe(0);
    await call(world, contract.deleteIncidentUpdate, { params });
    expect([(await incident(id)).lastUpdateStatus, await open()]).toEqual(['INVESTIGATING', 1]);
    expect((await ask(world, contract.deleteIncidentUpdate, { params })).status).toBe(404);
  });

  it('have a place by their date, which is never in the future', async () => {
    const { id } = await makeIncident(world, [shop]);
    const begun = new Date(world.now() - HOUR_MS).toISOString();
    const body = { description: 'It began.', status: 'MONITORING', publicIncidentUpdateDate: begun } as const;
    const early = await add(id, body);
    expect(early.publicIncidentUpdateDate).toBe(begun);
    const { lastUpdateStatus, incidentUpdates } = await incident(id);
    expect([lastUpdateStatus, incidentUpdates.at(-1)?.id]).toEqual(['INVESTIGATING', early.id]);
    expect(await feed()).toContain(`<published>${begun}</published>`);
    const now = new Date(world.now()).toISOString();
    const params = { id, updateId: early.id };
    const moved = { params, body: { ...body, publicIncidentUpdateDate: now } };
    await call(world, contract.updateIncidentUpdate, moved);
    expect((await incident(id)).lastUpdateStatus).toBe('MONITORING');
    const later = { ...body, publicIncidentUpdateDate: new Date(world.now() + HOUR_MS).toISOString() };
    for (const answer of [
      await ask(world, contract.createIncidentUpdate, { params: { id }, body: later }),
      await ask(world, contract.updateIncidentUpdate, { params, body: later }),
    ])
      expect([answer.status, violations(answer.body)]).toMatchObject([
        400,
        [{ path: 'publicIncidentUpdateDate', message: 'must not be in the future' }],
      ]);
  });

  it('cannot all be deleted, and are unknown with a wrong ID', async () => {
    const { id } = await makeIncident(world, [shop]);
    const [only] = await call(world, contract.listIncidentUpdates, { params: { id } });
    const updateId = only?.id ?? '';
    const refused = await ask(world, contract.deleteIncidentUpdate, { params: { id, updateId } });
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { message: expect.stringContaining('delete the incident instead') },
    ]);
    const other = await makeIncident(world, [shop]);
    for (const params of [
      { id, updateId: other.id },
      { id: other.id, updateId },
    ])
      for (const endpoint of [
        contract.getIncidentUpdate,
        contract.updateIncidentUpdate,
        contract.deleteIncidentUpdate,
      ] as contract.Endpoint[])
        expect(
          (await ask(world, endpoint, { params, body: endpoint.body && { description: 'x' } })).status,
        ).toBe(404);
  });

  it('notify subscribers once', async () => {
    const { id } = await makeIncident(world, [shop]);
    const [webPage] = await world.store.statusPages.list(world.accountId);
    const asked = await world.store.subscribers.requestSubscription(
      webPage?.id ?? '',
      'EMAIL',
      'a@example.com',
    );
    await world.store.subscribers.confirm(asked?.token ?? '');
    const notices = async () =>
      (await world.store.db.selectFrom('outbox').select('idempotency_key').execute()).filter(
        ({ idempotency_key: key }) => key.startsWith(`incident/${quiet.id}/`),
      ).length;
    const quiet = await add(id, { description: 'Quiet.' });
    const params = { id, updateId: quiet.id };
    expect(await notices()).toBe(0);
    const body = { description: 'Loud.', notifySubscribers: true };
    for (let times = 0; times < 2; times += 1)
      await call(world, contract.updateIncidentUpdate, { params, body });
    expect(await notices()).toBe(1);
    const after = await call(world, contract.updateIncidentUpdate, {
      params,
      body: { description: 'Quiet.' },
    });
    expect(after.notifySubscribers).toBe(true);
  });
});
