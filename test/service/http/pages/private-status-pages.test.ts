/** Tests access to private status pages, by key and by cookie. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { DAY_MS, get, makePage, post, startWorld, tokenIn, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const text = async (path: string, headers = {}) => (await get(world, path, headers)).text();

describe('a private page', () => {
  let key = '';
  beforeAll(async () => {
    const page = await makePage(world, 'private', [], { name: 'Internal', description: 'Secret plans' });
    const params = { statusPageId: page.id };
    const access = await call(world, contract.updateStatusPageAccess, { params, body: { isPrivate: true } });
    key = access.accessKey ?? '';
    expect(await call(world, contract.getStatusPage, { params })).toMatchObject({ isPrivate: true });
  });

  it('shows nothing of itself without its key, in no form', async () => {
    for (const path of ['/status/private', '/status/private/status.json', '/status/private/feed.atom']) {
      const answer = await get(world, path, { authorization: `Bearer ${world.apiKey}` });
      expect(answer.status).toBe(401);
      expect(await answer.text()).not.toContain('Secret plans');
    }
    expect((await get(world, '/status/private/subscribe')).status).toBe(404);
  });

  it('opens to programs with the key', async () => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await get(world, '/status/private/status.json', headers);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toContain('private');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect((await get(world, '/status/private/feed.atom', headers)).status).toBe(200);
  });

  it('opens to a browser whose form had the key, until there is a new one', async () => {
    const door = await (await get(world, '/status/private')).text();
    const token = tokenIn(door);
    expect((await post(world, '/status/private/access', { key: 'wrong', token })).status).toBe(403);
    expect((await post(world, '/status/private/access', { key, token: 'wrong' })).status).toBe(400);
    const foreign = await post(
      world,
      '/status/private/access',
      { key, token },
      { 'sec-fetch-site': 'cross-site' },
    );
    expect(foreign.status).toBe(403);
    const entered = await post(world, '/status/private/access', { key, token });
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/status/private']);
    const zone = 'tz=Europe%2FBerlin';
    const inZone = await (await get(world, '/status/private?tz=Europe/Berlin')).text();
    expect(inZone).toContain(`action="/status/private/access?${zone}"`);
    const zoned = await post(world, `/status/private/access?${zone}`, { key, token });
    expect(zoned.headers.get('location')).toBe(`/status/private?${zone}`);
    const set = entered.headers.get('set-cookie') ?? '';
    expect(set).toMatch(/; HttpOnly; SameSite=Lax/);
    expect(set).not.toContain(key);
    const cookie = set.split(';')[0] ?? '';
    expect(await text('/status/private', { cookie })).toContain('Secret plans');
    const [entry] = (await call(world, contract.listStatusPages, {})).entries;
    const params = { statusPageId: entry?.id ?? '' };
    await call(world, contract.updateStatusPageAccess, { params, body: { newKey: true } });
    expect((await get(world, '/status/private', { cookie })).status).toBe(401);
  });

  it('is closed again after 30 days', async () => {
    const page = await makePage(world, 'monthly', [], { description: 'Secret plans' });
    const params = { statusPageId: page.id };
    const { accessKey = '' } = await call(world, contract.updateStatusPageAccess, {
      ...{ params, body: { isPrivate: true } },
    });
    const token = tokenIn(await text('/status/monthly'));
    const entered = await post(world, '/status/monthly/access', { key: accessKey, token });
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
    world.step(29 * DAY_MS);
    expect(await text('/status/monthly', { cookie })).toContain('Secret plans');
    world.step(DAY_MS);
    expect((await get(world, '/status/monthly', { cookie })).status).toBe(401);
  });

  it('names what made it unless it is told not to', async () => {
    const page = await makePage(world, 'white', []);
    expect(await text('/status/white')).toContain('Powered by sonde');
    const body = { whiteLabel: true };
    await call(world, contract.updateStatusPageAccess, { params: { statusPageId: page.id }, body });
    expect(await text('/status/white')).not.toContain('sonde');
    const other = { ...world, ...(await world.newAccount()) };
    const foreign = await ask(other, contract.updateStatusPageAccess, {
      params: { statusPageId: page.id },
      body: { isPrivate: true },
    });
    expect(foreign.status).toBe(404);
  });
});
