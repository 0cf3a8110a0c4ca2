/** What the owner of a status page decides about its look: hidden services, cards to collapse, logos, footer, indexing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { notifySubscribers } from '../../../../src/service/notify/subscribers/notify-subscribers.ts';
import { call } from '../../../support/call.ts';
import { get, makeIncident, makePage, makeServices, resolve, startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const text = async (path: string) => (await get(world, path)).text();
const json = async (slug: string) => (await get(world, `/status/${slug}/status.json`)).json();
const service = async (name: string, fields: object) =>
  String((await call(world, contract.createService, { body: { name, ...fields } })).id);
const cardOf = (ids: readonly string[]) => ({ name: 'Sites', services: ids.map((id) => ({ id })) });

describe('a hidden service', () => {
  it('is nowhere on the page, nor are incidents and maintenance that affect nothing else', async () => {
    const hidden = await service('Secret backend', { hidden: true });
    const [shown = '', inCard = ''] = await makeServices(world, ['Web shop', 'Internal tool']);
    await makePage(world, 'hidden', [], {
      showResponseTimes: true,
      cards: [
        cardOf([shown, hidden]),
        { name: 'Staff only', hidden: true, services: [{ id: inCard }] },
        { name: 'Nothing left', services: [{ id: hidden }] },
      ],
    });
    await makeIncident(world, [hidden], { name: 'Backend fails', severity: 'CRITICAL' });
    await makeIncident(world, [inCard], { name: 'Tool fails', severity: 'CRITICAL' });
    await makeIncident(world, [shown, hidden], { name: 'Orders fail', severity: 'MINOR' });
    const old = await makeIncident(world, [hidden], { name: 'Backend failed' });
    await resolve(world, old.id);
    const at = (hours: number) => new Date(world.now() + hours * 3_600_000).toISOString();
    await call(world, contract.createMaintenanceWindow, {
      body: {
        ...{ name: 'Backend upgrade', startsAt: at(-1), endsAt: at(1), repeatUnit: null },
        statusPageVisibility: { enabled: true, serviceIds: [hidden] },
      },
    });
    for (const path of ['', '/status.json', '/feed.atom']) {
      const body = await text(`/status/hidden${path}`);
      expect(body).toContain('Orders fail');
      expect(body).not.toMatch(/Secret backend|Internal tool|Staff only|Nothing left|Backend|Tool fails/);
    }
    expect(await json('hidden')).toMatchObject({
      state: 'degraded',
      cards: [{ services: [{ name: 'Web shop' }] }],
      incidents: { open: [{ name: 'Orders fail', services: ['Web shop'] }], past: [] },
      maintenance: { underWay: [] },
    });
    const { entries } = await call(world, contract.listIncidents, { query: { limit: 100 } });
    expect(entries.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Backend fails', 'Tool fails', 'Backend failed']),
    );
  });

  it('is back on the page when it is no longer hidden', async () => {
    const id = await service('Vault', { hidden: true });
    await makePage(world, 'unhidden', [id]);
    expect(await text('/status/unhidden')).not.toContain('Vault');
    await call(world, contract.updateService, { params: { id }, body: { name: 'Vault', hidden: false } });
    expect(await text('/status/unhidden')).toContain('Vault');
  });

  it('sends its incidents to no subscriber', async () => {
    const hidden = await service('Quiet', { hidden: true });
    const [loud = ''] = await makeServices(world, ['Loud']);
    const page = await makePage(world, 'quiet', [hidden, loud]);
    const notice = { accountId: world.accountId, about: 'incident', id: 'i', at: 0 } as const;
    const texts = { title: 't', state: 's', text: 'x' };
    for (const [key, services] of [
      ['quiet', [hidden]],
      ['both', [hidden, loud]],
    ] as const)
      await world.store.transaction((tx) => notifySubscribers(tx, { ...notice, ...texts, key, services }));
    const rows = await world.store.db.selectFrom('notices').select('body').execute();
    const notices = rows.map(({ body }) => JSON.parse(body) as { key: string; pages: string[] });
    expect(notices.filter(({ pages }) => pages.includes(page.id)).map(({ key }) => key)).toEqual(['both']);
  });
});

describe('a card', () => {
  const group = (slug: string) =>
    text(`/status/${slug}`).then((page) =>
      /<details class="card group"( open)?>(.*?)<\/details>/s.exec(page),
    );

  it('can be collapsed if it says whether it is open at first, and is open while something happens', async () => {
    const [one = '', two = ''] = await makeServices(world, ['One', 'Two']);
    const card = { ...cardOf([one, two]), description: 'In all regions' };
    await makePage(world, 'plain', [], { cards: [card] });
    await makePage(world, 'open', [], { cards: [{ ...card, expandedByDefault: true }] });
    await makePage(world, 'closed', [], { cards: [{ ...card, expandedByDefault: false }] });
    expect(await group('plain')).toBeNull();
    expect(await text('/status/plain')).toContain(
      '<h3 dir="auto">Sites</h3><p class="lines small muted" dir="auto">In all regions</p>',
    );
    expect((await group('open'))?.[1]).toBe(' open');
    const [, isOpen, content = ''] = (await group('closed')) ?? [];
    expect(isOpen).toBeUndefined();
    expect(content).toContain('<summary><div class="row"><h3><bdi>Sites</bdi></h3>');
    expect(content).toContain('In all regions');
    expect(content.match(/class="bars"/g)).toHaveLength(3);
    const { id } = await makeIncident(world, [two], { severity: 'MAJOR' });
    const [, opened, during = ''] = (await group('closed')) ?? [];
    expect(opened).toBe(' open');
    expect(during.slice(0, during.indexOf('</summary>'))).toContain('Partial outage');
    await resolve(world, id);
    expect((await group('closed'))?.[1]).toBeUndefined();
    const at = (hours: number) => new Date(world.now() + hours * 3_600_000).toISOString();
    await call(world, contract.createMaintenanceWindow, {
      body: {
        ...{ name: 'Upgrade', startsAt: at(-1), endsAt: at(1), repeatUnit: null },
        statusPageVisibility: { enabled: true, serviceIds: [one] },
      },
    });
    expect((await group('closed'))?.[1]).toBe(' open');
  });

  it('and a service have no uptime bars where showHistoricalData is false', async () => {
    const without = await service('Brief', {
      showHistoricalData: false,
      description: 'New. See https://a.example/b',
    });
    const [full = ''] = await makeServices(world, ['Full']);
    await makePage(world, 'bars', [], { cards: [{ ...cardOf([without, full]), expandedByDefault: true }] });
    expect((await text('/status/bars')).match(/class="bars"/g)).toHaveLength(2);
    const fields = { expandedByDefault: true, showHistoricalData: false };
    await makePage(world, 'no-bars', [], { cards: [{ ...cardOf([without]), ...fields }] });
    const page = await text('/status/no-bars');
    expect(page).not.toContain('class="bars"');
    expect(page).not.toContain('class="legend');
    expect(page).toContain('New. See <a href="https://a.example/b"');
    expect(await json('no-bars')).toMatchObject({
      cards: [
        {
          description: null,
          services: [{ name: 'Brief', description: 'New. See https://a.example/b', uptime: null, days: [] }],
        },
      ],
    });
  });
});

describe('the owner of a page', () => {
  const [light, dark] = ['https://img.example/l.png', 'https://dark.example/a,b.png'];
  const picture = `<picture><source media="(prefers-color-scheme:dark)" srcset="https://dark.example/a%2Cb.png"><img src="${light}" alt="Example Shop"></picture>`;

  it.each([
    ['the logo of each theme', { logo: light, logoDark: dark }, picture],
    ['only the dark logo', { logo: light, logoDark: dark, defaultTheme: 'DARK' }, `<h1><img src="${dark}"`],
    [
      'only the light logo',
      { logo: light, logoDark: dark, defaultTheme: 'LIGHT' },
      `<h1><img src="${light}"`,
    ],
    ['one logo in both themes', { logo: light }, `<h1><img src="${light}"`],
    ['the name where the light theme has no logo', { logoDark: dark }, '<h1><bdi>Example Shop</bdi></h1>'],
    ['no other address', { logo: light, logoDark: 'javascript:alert(1)' }, `<h1><img src="${light}"`],
  ] as const)('shows %s', async (name, fields, expected) => {
    const slug = `logo-${name.replaceAll(' ', '-')}`;
    await makePage(world, slug, [], fields);
    const answer = await get(world, `/status/${slug}`);
    expect(await answer.text()).toContain(expected);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy.includes('https://dark.example')).toBe('logoDark' in fields && fields.logoDark === dark);
  });

  it('links their documents and says something in the footer', async () => {
    const links = {
      privacyPolicyLink: 'https://shop.example/privacy',
      termsOfServiceLink: 'https://shop.example/terms?a=1&b=2',
      supportLink: 'javascript:alert(1)',
    };
    await makePage(world, 'footer', [], { ...links, footerText: 'Shop Inc.\nhttps://shop.example/about' });
    const page = await text('/status/footer');
    expect(page).toContain(
      '<a href="https://shop.example/privacy">Privacy policy</a><a href="https://shop.example/terms?a=1&amp;b=2">Terms of service</a>',
    );
    expect(page).toMatch(
      /<footer.*<p class="lines full" dir="auto">Shop Inc\.\n<a href="https:\/\/shop\.example\/about"/s,
    );
    expect(page).not.toContain('javascript:');
    const subscribe = await text('/status/footer/subscribe');
    expect(subscribe).toContain('Privacy policy');
    expect(subscribe).not.toContain('Shop Inc.');
  });

  it('keeps search engines away', async () => {
    await makePage(world, 'listed', []);
    await makePage(world, 'unlisted', [], { allowIndexing: false });
    for (const path of ['', '/status.json', '/feed.atom']) {
      expect((await get(world, `/status/listed${path}`)).headers.has('x-robots-tag')).toBe(false);
      expect((await get(world, `/status/unlisted${path}`)).headers.get('x-robots-tag')).toBe('noindex');
    }
    const robots = '<meta name="robots" content="noindex">';
    expect(await text('/status/listed')).not.toContain(robots);
    expect(await text('/status/unlisted')).toContain(robots);
  });

  it('learns that a page has no scripts of others', async () => {
    const headers = { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'a', url: 'tagged', cards: [], googleAnalyticsTag: 'G-1' });
    const answer = await fetch(`${world.url}/v1/status-pages`, { method: 'POST', headers, body });
    expect([answer.status, answer.headers.get('x-ignored-fields')]).toEqual([201, 'googleAnalyticsTag']);
  });
});
