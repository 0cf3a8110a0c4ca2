/** Times in the zone of the viewer, with UTC beside them; feeds and JSON in UTC alone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  formatDay,
  formatDayState,
  formatInstant,
  renderTime,
  renderTimeSpan,
} from '../../../../src/service/http/pages/format.ts';
import { formatInZone, localizePage, parseZone } from '../../../../src/service/http/pages/time-zone.ts';
import { cookieOf } from './signed-in.ts';
import { get, makeIncident, makePage, makeServices, post, startWorld, type World } from './world.ts';

const AT = Date.UTC(2026, 8, 5, 22, 3, 7);

describe('a zone', () => {
  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['UTC', undefined],
    ['', undefined],
    ['Mars/Olympus', undefined],
    ['<b>', undefined],
    [`A${'a'.repeat(64)}`, undefined],
  ])('%j is %j', (text, zone) => {
    expect(parseZone(text)).toBe(zone);
  });

  it.each([
    ['Europe/Berlin', '6 Sep 2026, 00:03:07 CEST'],
    ['Asia/Kolkata', '6 Sep 2026, 03:33:07 GMT+5:30'],
    ['America/Los_Angeles', '5 Sep 2026, 15:03:07 GMT-7'],
  ])('%s has its own day, time and name', (zone, text) => {
    expect(formatInZone(AT, zone, true)).toBe(text);
    expect(formatInZone(AT, zone, false)).toBe(text.replace(':07', ''));
  });

  it('formats any number of zones', () => {
    for (const zone of Intl.supportedValuesOf('timeZone'))
      expect(formatInZone(AT, zone, false)).toMatch(/^[56] Sep 2026, \d\d:\d\d \S+$/);
  });
});

describe('a page in a zone', () => {
  const localize = (body: string) => localizePage({ status: 200, policy: '', body }, 'Europe/Berlin').body;
  const textOf = (body: string) => localize(body).replaceAll(/<[^>]+>/g, '');

  it('has UTC beside each time, with its day where that is another', () => {
    expect(textOf(String(renderTime(AT)))).toBe('6 Sep 2026, 00:03 CEST (5 Sep 2026, 22:03 UTC)');
    expect(textOf(String(renderTime(AT - 3_600_000 * 4, true)))).toBe(
      '5 Sep 2026, 20:03:07 CEST (18:03:07 UTC)',
    );
  });

  it.each([
    [-2, -1, '5 Sep 2026, 22:03 to 23:03 CEST (20:03 to 21:03 UTC)'],
    [0, 1, '6 Sep 2026, 00:03 to 01:03 CEST (5 Sep 2026, 22:03 to 23:03 UTC)'],
    [-1, 0, '5 Sep 2026, 23:03 to 6 Sep 2026, 00:03 CEST (5 Sep 2026, 21:03 to 22:03 UTC)'],
    [0, 24, '6 Sep 2026, 00:03 to 7 Sep 2026, 00:03 CEST (5 Sep 2026, 22:03 to 6 Sep 2026, 22:03 UTC)'],
    // The clock goes back on 25 October.
    [1177, 1179, '25 Oct 2026, 01:03 CEST to 02:03 CET (24 Oct 2026, 23:03 to 25 Oct 2026, 01:03 UTC)'],
  ])('states day and zone of a span once: %i h to %i h', (from, to, text) => {
    expect(textOf(String(renderTimeSpan(AT + from * 3_600_000, AT + to * 3_600_000)))).toBe(text);
  });

  it('leaves other texts unchanged', () => {
    const text =
      '<p>5 Sep 2026, 22:03 UTC</p><p>&lt;time datetime=&quot;2026-09-05T22:03:07Z&quot;&gt;x&lt;/time&gt;</p>';
    expect(localize(text)).toBe(text);
  });
});

it.each([
  [formatDay(AT), '5 Sep 2026'],
  [formatInstant(AT), '5 Sep 2026, 22:03 UTC'],
  [formatInstant(AT, true), '5 Sep 2026, 22:03:07 UTC'],
  [String(renderTime(AT)), '<time datetime="2026-09-05T22:03:07.000Z">5 Sep 2026, 22:03 UTC</time>'],
  [formatDayState({ date: AT, outage: 90_000, degraded: 0 }), '5 Sep 2026: outage for 1 min 30 s'],
])('formatters of pages write UTC: %s', (text, expected) => {
  expect(text).toBe(expected);
});

describe('a service', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
    const services = await makeServices(world, ['Shop']);
    await makePage(world, 'shop', services);
    await makeIncident(world, services);
  });
  afterAll(() => world.close());
  const open = async (path: string, headers = {}) => {
    const answer = await get(world, path, headers);
    return { answer, page: await answer.text() };
  };

  it('shows the days of the zone, and keeps the zone of the address in links', async () => {
    // It is 21 November, 08:00 UTC.
    for (const [zone, day] of [
      ['UTC', '21 Nov 2026'],
      ['Pacific/Kiritimati', '21 Nov 2026'],
      ['Pacific/Pago_Pago', '20 Nov 2026'],
    ] as const) {
      const { page } = await open(`/status/shop?tz=${zone}`);
      expect(page).toMatch(new RegExp(`aria-label="The last 90 days\\. ${day}: outage`));
      expect(page).toContain(`href="/status/shop/subscribe?tz=${encodeURIComponent(zone)}"`);
      expect(page).toContain('action="/time-zone"');
      const { page: json } = await open(`/status/shop/status.json?tz=${zone}`);
      const { cards } = JSON.parse(json) as {
        readonly cards: readonly {
          readonly services: readonly { readonly days: readonly { date: string }[] }[];
        }[];
      };
      expect(cards[0]?.services[0]?.days.at(-1)?.date).toBe(
        day.startsWith('21') ? '2026-11-21' : '2026-11-20',
      );
    }
    const { page } = await open('/status/shop', { cookie: 'sonde_tz=Pacific/Pago_Pago' });
    expect(page).toContain('href="/status/shop/subscribe"');
    expect(page).toContain('20 Nov 2026: outage');
  });

  it('shows the zone of the address or the cookie, and shares each rendering', async () => {
    const utc = await open('/status/shop');
    expect(utc.page).toContain('21 Nov 2026, 08:00 UTC</time>');
    expect(utc.page).toContain('All times are UTC');
    expect(utc.answer.headers.get('vary')).toBe('cookie');
    const berlin = await open('/status/shop', { cookie: 'sonde_tz=Europe/Berlin' });
    expect(berlin.page).toContain('21 Nov 2026, 09:00 CET</time> <span class="utc">(08:00 UTC)</span>');
    expect(berlin.page).toContain('Times are shown in Europe/Berlin and UTC');
    const kolkata = await open('/status/shop?tz=asia/kolkata', { cookie: 'sonde_tz=Europe/Berlin' });
    expect(kolkata.page).toContain('21 Nov 2026, 13:30 GMT+5:30</time>');
    expect((await open('/status/shop')).answer.headers.get('etag')).toBe(utc.answer.headers.get('etag'));
    for (const zone of ['Mars/Olympus', '%3Cb%3E', ''])
      expect((await open(`/status/shop?tz=${zone}`)).page).toBe(utc.page);
    expect((await open('/', { cookie: 'sonde_tz=%00' })).answer.status).toBe(200);
  });

  it('keeps feeds and JSON in UTC', async () => {
    for (const path of ['/status/shop/status.json', '/status/shop/feed.atom']) {
      const utc = (await open(path)).page;
      expect(utc).toMatch(/2026-11-21T08:00|21 Nov 2026, 08:00 UTC/);
      expect((await open(path, { cookie: 'sonde_tz=Europe/Berlin' })).page).toBe(utc);
    }
  });

  it('sets the zone with the form of the footer, and returns to the page', async () => {
    const set = (tz: string, headers: Record<string, string> = {}) =>
      post(world, '/time-zone', { tz }, { referer: `${world.url}/status/shop?tz=UTC`, ...headers });
    const berlin = await set('europe/berlin');
    expect([berlin.status, berlin.headers.get('location')]).toEqual([303, '/status/shop']);
    expect(cookieOf(berlin)).toBe('sonde_tz=Europe/Berlin');
    expect((await open('/status/shop', { cookie: cookieOf(berlin) })).page).toContain('09:00 CET');
    expect((await set('UTC')).headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await set('Mars/Olympus')).headers.get('set-cookie')).toBeNull();
    for (const referer of ['https://evil.example/x', `${world.url}//evil.example`, 'x', ''])
      expect((await set('UTC', { referer })).headers.get('location')).toBe('/');
    expect((await set('UTC', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });
});
