/** What the subscribe form refuses: addresses that are none, other sites' forms, and too many at once. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { get, makeIncident, makePage, makeServices, post, startWorld, tokenIn, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await makePage(world, 'ours', [], { name: 'Ours' });
});
afterAll(() => world.close());

it('refuses what is no address and what is no form of its own, then everybody who asks too often', async () => {
  const token = tokenIn(await (await get(world, '/status/ours/subscribe')).text());
  const send = (fields: Record<string, string>, headers = {}) =>
    post(
      world,
      '/status/ours/subscribe',
      { kind: 'EMAIL', address: 'a@example.com', token, ...fields },
      headers,
    );
  for (const address of ['a', 'a@b', 'a@example.com\r\nBcc: b@example.com', 'a@example.com,b@example.com']) {
    const answer = await send({ address });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('Enter an e-mail address');
  }
  expect((await send({ kind: 'WEBHOOK', address: 'ftp://a.example' })).status).toBe(400);
  expect((await send({ kind: 'WEBHOOK', address: 'https://a:b@c.example' })).status).toBe(400);
  expect((await send({ token: '' })).status).toBe(400);
  expect((await send({}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await send({}, { origin: 'https://evil.example' })).status).toBe(403);
  world.step(13 * 3_600_000);
  expect((await send({})).status).toBe(400);
  const limited = await send({});
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await world.store.db.selectFrom('page_subscribers').selectAll().execute()).toEqual([]);
});

it('refuses JSON in the place of a form as it refuses any form that is not its own', async () => {
  const odd = [{ token: 5 }, { token: { split: 1 }, address: ['a'] }, ['token'], null];
  for (const body of odd) {
    const answer = await fetch(`${world.url}/status/ours/access`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(400);
  }
});

it('shows the newest updates of incidents, as long as the page does not become too long', async () => {
  const services = await makeServices(world, ['Checkout']);
  await makePage(world, 'long', services);
  const incidentUpdates = Array.from({ length: 90 }, (_, at) => ({
    description: `${at} ${'x'.repeat(9990)}`,
    status: 'INVESTIGATING' as const,
  }));
  await makeIncident(world, services, { incidentUpdates });
  await makeIncident(world, services, { name: 'The second', incidentUpdates: incidentUpdates.slice(0, 1) });
  const page = await (await get(world, '/status/long')).text();
  expect(page.length).toBeLessThan(700_000);
  expect(page).toContain('The second');
  const { incidents } = (await (await get(world, '/status/long/status.json')).json()) as {
    readonly incidents: {
      readonly open: readonly { readonly updates: readonly { description: string }[] }[];
    };
  };
  const shown = incidents.open.map(({ updates }) => updates.length).toSorted((one, other) => one - other);
  expect(shown).toEqual([1, 49]);
});
