/** Status pages as visitors get them: what they say, in which forms, and to whom. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { openIncident, resolveIncident } from '../../../../src/service/notify/incidents.ts';
import { ask, call } from '../../../support/call.ts';
import { violations } from '../api/support.ts';
import {
  DAY_MS,
  get,
  makeIncident,
  makePage,
  makeServices,
  resolve,
  startWorld,
  type World,
} from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

interface Shown {
  readonly state: string;
  readonly cards: { readonly services: { name: string; state: string; uptime: number; days: object[] }[] }[];
  readonly incidents: { readonly open: { name: string; updates: object[] }[]; readonly past: object[] };
  readonly maintenance: { readonly underWay: object[]; readonly coming: object[] };
}
const json = async (slug: string): Promise<Shown> =>
  (await (await get(world, `/status/${slug}/status.json`)).json()) as Shown;
const text = async (path: string, headers = {}) => (await get(world, path, headers)).text();

describe('a status page', () => {
  it('shows the state of its services, and what is said of an incident until it is resolved', async () => {
    const [shop = '', pay = ''] = await makeServices(world, ['Web shop', 'Payments']);
    await makePage(world, 'states', [shop, pay]);
    expect(await text('/status/states')).toContain('All systems operational');
    const { id } = await makeIncident(world, [shop], {
      severity: 'CRITICAL',
      incidentUpdates: [
        { description: 'We look for the cause: https://example.com/a?b=1&c=2.', status: 'INVESTIGATING' },
      ],
    });
    world.step(1000);
    await makeIncident(world, [pay], { severity: 'MINOR', name: 'Slow' });
    const page = await text('/status/states');
    expect(page).toContain('<h2>Major outage</h2>');
    expect(page).toContain(
      'We look for the cause: <a href="https://example.com/a?b=1&amp;c=2" rel="nofollow noopener">https://example.com/a?b=1&amp;c=2</a>.',
    );
    // The worst first, though the other is newer.
    expect(page.match(/<h3><bdi>(?:Slow|Orders fail)/g)).toEqual(['<h3><bdi>Orders fail', '<h3><bdi>Slow']);
    expect(page).toContain('<i class="tone x"></i>Outage</li>');
    expect(await json('states')).toMatchObject({
      state: 'outage',
      cards: [
        {
          services: [
            { name: 'Web shop', state: 'outage' },
            { name: 'Payments', state: 'degraded' },
          ],
        },
      ],
      incidents: { open: [{ name: 'Slow' }, { name: 'Orders fail', services: ['Web shop'] }], past: [] },
    });
    world.step(60 * 60 * 1000);
    await resolve(world, id);
    const after = await json('states');
    expect(after).toMatchObject({ state: 'degraded', incidents: { past: [{ name: 'Orders fail' }] } });
    expect(await text('/status/states')).toContain('resolved after 1 h');
  });

  it('names each state as other status pages do, and calls it a major outage where every service is out', async () => {
    const ids = await makeServices(world, ['One', 'Two']);
    const [one = '', two = ''] = ids;
    await makePage(world, 'names', ids);
    const headline = async () => /<h2>([^<]+)<\/h2><\/div>/.exec(await text('/status/names'))?.[1];
    const labels = async () =>
      [...(await text('/status/names')).matchAll(/<\/svg>([A-Z][^<]+)<\/span><\/div><svg class="bars"/g)].map(
        ([, label]) => label,
      );
    for (const [severity, label] of [
      ['MINOR', 'Degraded performance'],
      ['MEDIUM', 'Degraded performance'],
      ['MAJOR', 'Partial outage'],
      ['CRITICAL', 'Major outage'],
    ] as const) {
      const { id } = await makeIncident(world, [one], { severity });
      expect([await headline(), ...(await labels())]).toEqual([label, label, 'Operational']);
      await resolve(world, id);
    }
    await makeIncident(world, [one, two], { severity: 'MAJOR' });
    expect([await headline(), ...(await labels())]).toEqual([
      'Major outage',
      'Partial outage',
      'Partial outage',
    ]);
    expect(await json('names')).toMatchObject({
      state: 'outage',
      cards: [{ services: [{ state: 'outage' }, { state: 'outage' }] }],
    });
  });

  it('tells ninety days of each service, the time out of order only once', async () => {
    const [id = ''] = await makeServices(world, ['History']);
    await makePage(world, 'history', [id]);
    world.step(DAY_MS * 9);
    const first = await makeIncident(world, [id]);
    const second = await makeIncident(world, [id], { severity: 'CRITICAL' });
    world.step(DAY_MS / 10);
    await resolve(world, first.id);
    await resolve(world, second.id);
    world.step(DAY_MS * 0.9);
    const [service] = (await json('history')).cards[0]?.services ?? [];
    expect(service?.days).toHaveLength(90);
    expect(service?.uptime).toBeCloseTo(0.99, 3);
    expect(
      service?.days.filter((day) => 'outageSeconds' in day && Number(day.outageSeconds) > 0),
    ).toHaveLength(1);
    expect(service?.days[0]).toMatchObject({ outageSeconds: null });
    expect(await text('/status/history')).toMatch(
      /aria-label="The last 90 days\. \d+ \w+ 2026: outage for 2 h/,
    );
    expect(await text('/status/history')).toMatch(/\d% since \d+ \w+ \d{4}</);
    world.step(DAY_MS * 90);
    expect(await text('/status/history')).toMatch(/\d% uptime</);
  });

  it('has a feed whose entries keep their ID and move its date', async () => {
    const [id = ''] = await makeServices(world, ['Feed']);
    const page = await makePage(world, 'fed', [id]);
    const entries = async (path = '/status/fed/feed.atom') => {
      const feed = await (await get(world, path)).text();
      const of = (text: string, name: string) =>
        new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? '';
      const [head = '', ...all] = feed.split('<entry>');
      return {
        updated: of(head, 'updated'),
        ids: all.map((entry) => of(entry, 'id')),
        times: all.map((entry) => [of(entry, 'published'), of(entry, 'updated')]),
      };
    };
    const iso = (hours: number) => new Date(world.now() + hours * 3_600_000).toISOString();
    world.step(DAY_MS);
    const window = await call(world, contract.createMaintenanceWindow, {
      body: {
        ...{ name: 'Database', startsAt: iso(1), endsAt: iso(2), repeatUnit: 'DAY' },
        statusPageVisibility: { enabled: true, statusPageIds: [page.id] },
      },
    });
    await makeIncident(world, [id]);
    const first = await entries();
    expect(first.ids).toEqual([
      `urn:uuid:${page.id}#maintenance-${window.id}`,
      expect.stringMatching(/^urn:uuid:[0-9a-f-]{36}$/),
    ]);
    expect(first.times[0]).toEqual([window.startsAt, window.created_at]);
    expect(first.updated >= (first.times[1]?.[1] ?? '?')).toBe(true);
    world.step(60_000);
    const changed = await call(world, contract.updateMaintenanceWindow, {
      params: { id: window.id },
      body: { name: 'Store', startsAt: iso(5), endsAt: iso(6) },
    });
    const second = await entries();
    expect(second.ids).toEqual(first.ids);
    expect(second.times[0]).toEqual([changed.startsAt, changed.updated_at]);
    expect(second.updated).toBe(changed.updated_at);
    const { name, cards } = page;
    const params = { statusPageId: page.id };
    await call(world, contract.updateStatusPage, { params, body: { name, cards, url: 'fed-anew' } as never });
    expect((await entries('/status/fed-anew/feed.atom')).ids).toEqual(first.ids);
    // The next repetition changes the entry when the previous one is over.
    const over = iso(6);
    world.step(7 * 3_600_000);
    const third = await entries('/status/fed-anew/feed.atom');
    expect(third.ids).toEqual(first.ids);
    expect((third.times[0]?.[1] ?? '') > (changed.updated_at ?? '?')).toBe(true);
    expect(Math.abs(Date.parse(third.times[0]?.[1] ?? '') - Date.parse(over))).toBeLessThan(DAY_MS / 4);
    await call(world, contract.deleteMaintenanceWindow, { params: { id: window.id } });
  });

  it('shows maintenance that is under way and to come', async () => {
    const [id = ''] = await makeServices(world, ['Mail']);
    await makePage(world, 'maintenance', [id]);
    const at = (hours: number) => new Date(world.now() + hours * 3_600_000).toISOString();
    for (const [name, from] of [
      ['Upgrade', -1],
      ['Move', 24],
    ] as const)
      await call(world, contract.createMaintenanceWindow, {
        body: {
          ...{ name, startsAt: at(from), endsAt: at(from + 2), repeatUnit: 'DAY', repeatInterval: null },
          ...{ statusPageVisibility: { enabled: true, serviceIds: [id] } },
        },
      });
    expect(await json('maintenance')).toMatchObject({
      state: 'maintenance',
      cards: [{ services: [{ state: 'maintenance' }] }],
      maintenance: { underWay: [{ name: 'Upgrade', services: ['Mail'] }], coming: [{ name: 'Move' }] },
    });
    const page = await text('/status/maintenance');
    expect(page).toContain('Maintenance in progress');
    expect(page).toContain('Scheduled maintenance');
  });

  it('says what it lacks where it has no services', async () => {
    await makePage(world, 'empty', [], { cards: [] });
    expect(await text('/status/empty')).toContain('No services have been added to this page yet');
    expect(await text('/status/empty')).toContain('No incidents in the last 90 days');
  });

  it('is found by its own domain, in any case and at any port, and by no other', async () => {
    await makePage(world, 'domain', [], { customDomain: 'Status.Example.com', name: 'Of a domain' });
    const at = async (host: string) => {
      const { app } = world.service;
      return (await app.inject({ url: '/', headers: { host, accept: 'text/html' } })).body;
    };
    expect(await at('status.example.com')).toContain('Of a domain');
    expect(await at('STATUS.EXAMPLE.COM:8443')).toContain('Of a domain');
    expect(await at('example.com')).not.toContain('Of a domain');
    const taken = { name: 'b', url: 'b', cards: [], customDomain: 'status.example.COM' };
    expect((await ask(world, contract.createStatusPage, { body: taken })).status).toBe(409);
    const none = await ask(world, contract.createStatusPage, { body: { ...taken, customDomain: 'a b\r\n' } });
    expect(violations(none.body)).toMatchObject([{ path: 'customDomain' }]);
  });

  it('is sent once, and not again until something changes', async () => {
    const [id = ''] = await makeServices(world, ['Cached']);
    await makePage(world, 'cached', [id]);
    for (const path of ['/status/cached', '/status/cached/status.json', '/status/cached/feed.atom']) {
      const etag = (await get(world, path)).headers.get('etag') ?? '';
      expect(etag).not.toBe('');
      expect((await get(world, path, { 'if-none-match': `"x", W/${etag}` })).status).toBe(304);
    }
    const etag = (await get(world, '/status/cached')).headers.get('etag') ?? '';
    await makeIncident(world, [id]);
    expect((await get(world, '/status/cached', { 'if-none-match': etag })).status).toBe(200);
  });

  it('needs no program in the browser, and lets none in', async () => {
    await makePage(world, 'policy', [], {
      logo: 'https://img.example/l.png',
      favicon: 'http://icons.example/f.ico',
    });
    const answer = await get(world, '/status/policy');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("img-src 'self' https://img.example http://icons.example");
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toContain('script-src');
    expect(await answer.text()).not.toContain('<script');
  });

  it('is plain about what is not there, to people and to programs', async () => {
    const page = await get(world, '/status/none');
    expect(page.status).toBe(404);
    const text = await page.text();
    expect(text).toContain('Page not found');
    // It may stand on the domain of somebody who names nobody else.
    expect(text).not.toContain('sonde');
    const program = await fetch(`${world.url}/status/none/status.json`);
    expect(await program.json()).toMatchObject({ statusCode: 404 });
  });
});

it('an incident that a check opens is on the page until its recovery', async () => {
  const [id = ''] = await makeServices(world, ['Name service']);
  await makePage(world, 'automatic', [id]);
  const at = { accountId: world.accountId };
  const check = await call(world, contract.createDnsCheck, {
    body: { name: 'c', request: { query: 'a.example' }, heartbeat: {}, script: '', activated: false },
  });
  const checkId = String((check as { id: string }).id);
  const trigger = { serviceId: id, name: 'Names do not resolve', severity: 'CRITICAL' } as const;
  await world.store.transaction((tx) => openIncident(tx, { ...at, checkId, trigger, at: world.now() }));
  expect(await json('automatic')).toMatchObject({
    state: 'outage',
    incidents: { open: [{ name: 'Names do not resolve' }] },
  });
  await world.store.transaction((tx) => resolveIncident(tx, { ...at, checkId, at: world.now() }));
  expect(await json('automatic')).toMatchObject({ state: 'operational', incidents: { open: [] } });
});

it('thirty services over ninety days are read together, whatever was recorded', async () => {
  const ids = await makeServices(
    world,
    Array.from({ length: 30 }, (_, index) => `Service ${index}`),
  );
  await makePage(world, 'thirty', ids);
  for (let index = 0; index < 20; index += 1) {
    const { id } = await makeIncident(world, [ids[index % 30] ?? '']);
    world.step(60_000);
    await resolve(world, id);
  }
  const asked = vi.spyOn(world.store.db.getExecutor(), 'executeQuery');
  await text('/status/thirty');
  const times = new Map<string, number>();
  for (const [{ sql }] of asked.mock.calls) times.set(sql, (times.get(sql) ?? 0) + 1);
  asked.mockRestore();
  expect([...times.keys()].some((sql) => sql.includes('service'))).toBe(true);
  // No statement runs once for each service or incident.
  expect(Math.max(...times.values())).toBeLessThan(20);
});

it('the name or logo leads where redirectTo says, on the page alone: its forms lead back to the status', async () => {
  const [id = ''] = await makeServices(world, ['Shop']);
  const redirectTo = 'https://shop.example/?from=status&lang=en';
  const leads = 'href="https://shop.example/?from=status&amp;lang=en"';
  await makePage(world, 'leads', [id], { redirectTo });
  await makePage(world, 'leads-by-logo', [id], { redirectTo, logo: 'https://shop.example/logo.png' });
  expect(await (await get(world, '/status/leads')).text()).toContain(
    `<h1><a ${leads}><bdi>Example Shop</bdi></a></h1>`,
  );
  expect(await (await get(world, '/status/leads-by-logo')).text()).toContain(
    `<h1><a ${leads}><img src="https://shop.example/logo.png" alt="Example Shop"></a></h1>`,
  );
  const form = await (await get(world, '/status/leads/subscribe')).text();
  expect(form).toContain('<h1><a href="/status/leads"><bdi>Example Shop</bdi></a></h1>');
  expect(form).not.toContain('https://shop.example/?');
});
