/** A page is rendered once for all who ask, shows what the store holds now, and goes to nobody who may not read it. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { call } from '../../../support/call.ts';
import { get, makeIncident, makePage, makeServices, startWorld, type World } from './world.ts';

let world: World;
let services: string[];
beforeAll(async () => {
  world = await startWorld();
  services = await makeServices(world, ['Checkout']);
});
afterAll(() => world.close());

const PATHS = ['', '/status.json', '/feed.atom'];

it('reads the store once for twenty who ask at once', async () => {
  await makePage(world, 'busy', services);
  const reads = vi.spyOn(world.store.incidents, 'since');
  const answers = await Promise.all(
    Array.from({ length: 21 }, (_, index) => get(world, `/status/busy${PATHS[index % 3]}`)),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(3);
  expect(reads).toHaveBeenCalledTimes(1);
  world.step(5000);
  await get(world, '/status/busy');
  expect(reads).toHaveBeenCalledTimes(2);
  reads.mockRestore();
});

it('shows at once what changed', async () => {
  const page = await makePage(world, 'fresh', services);
  const shown = async () => (await get(world, '/status/fresh')).text();
  expect(await shown()).not.toContain('Cards are refused');
  await makeIncident(world, services, { name: 'Cards are refused' });
  expect(await shown()).toContain('Cards are refused');
  await call(world, contract.updateStatusPage, {
    params: { statusPageId: String(page.id) },
    body: { name: 'Renamed', url: 'fresh', cards: [] },
  });
  expect(await shown()).toContain('Renamed');
});

it('serves nothing of a page that became private to who has no key, however fresh it is', async () => {
  const page = await makePage(world, 'secret', services, { name: 'Inner workings' });
  for (const path of PATHS) expect((await get(world, `/status/secret${path}`)).status).toBe(200);
  const { key } = await world.store.pageAccess.set(String(page.id), { isPrivate: true });
  for (const path of PATHS) {
    const stranger = await get(world, `/status/secret${path}`);
    expect(stranger.status).toBe(401);
    expect(stranger.headers.get('cache-control')).not.toContain('public');
    const reader = await get(world, `/status/secret${path}`, { authorization: `Bearer ${key}` });
    expect(reader.status).toBe(200);
    expect(reader.headers.get('cache-control')).toBe('private, no-cache');
    expect((await get(world, `/status/secret${path}`)).status).toBe(401);
  }
});
