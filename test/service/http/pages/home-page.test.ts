/** The home page of who is signed in: what it shows, how it is filtered, and its button. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { byHand } from '../../../support/by-hand.ts';
import { call } from '../../../support/call.ts';
import { makeDashboard } from './dashboards-world.ts';
import { signIn } from './signed-in.ts';
import { get, makeIncident, makePage, makeServices, post, startWorld, tokenIn, type World } from './world.ts';

let world: World;
let cookie: string;
beforeAll(async () => {
  world = await startWorld();
  cookie = await signIn(world, world.apiKey);
});
afterAll(() => world.close());

const open = async (path = '/') => (await get(world, path, { cookie })).text();
const createCheck = async (name: string, more: object = {}) => {
  const { id } = await call(world, contract.createUrlCheck, {
    body: { name, ...byHand(), request: { url: 'http://127.0.0.1:9' }, ...more },
  });
  return String(id);
};
/** The names of the checks in the order of the page, without those that fail now. */
const namesIn = (page: string) =>
  [
    ...(page.split('id="checks"')[1]?.split('<section')[0] ?? '').matchAll(
      /href="\/checks\/[^"]+"><bdi>([^<]+)/g,
    ),
  ].map(([, name]) => name);

it('tells a new service what to type next', async () => {
  const page = await open();
  for (const words of [
    'No checks yet',
    'sonde checks create-url',
    'sonde checks run --all',
    'No incident is open',
  ])
    expect(page).toContain(words);
  expect(page).not.toContain('Failing and degraded');
});

it('shows what fails first, and filters and pages the checks', async () => {
  const bad = await createCheck('Payments <b>', { tags: ['shop', 'eu & us'] });
  const slow = await createCheck('Search', { tags: ['shop'] });
  const paused = await createCheck('Paused', { activated: false });
  const group = await call(world, contract.createCheckGroup, { body: { name: 'Off', activated: false } });
  const grouped = await createCheck('Grouped', { groupId: (group as { id: number }).id });
  await world.store.checks.setStatus([bad, paused, grouped], 'failing');
  await world.store.checks.setStatus([slow], 'degraded');
  for (let index = 0; index < 26; index += 1) await createCheck(`Page ${index}`);
  const page = await open();
  expect(page).toContain('1 check failing');
  expect(page).toContain('of 30; 1 degraded, 0 passing, 28 paused or without results');
  expect(page).toMatch(/Failing and degraded.*Payments &lt;b&gt;.*eu &amp; us.*Search.*id="checks"/s);
  expect(page.split('id="checks"')[0]).not.toMatch(/Paused|Grouped/);
  expect(namesIn(page)).toHaveLength(25);
  expect(page).toContain('Page 1 of 2');
  expect(namesIn(await open('/?page=2'))).toEqual([
    'Page 0',
    'Grouped',
    'Paused',
    'Search',
    'Payments &lt;b&gt;',
  ]);
  expect(namesIn(await open('/?tag=shop'))).toEqual(['Search', 'Payments &lt;b&gt;']);
  expect(namesIn(await open('/?status=degraded'))).toEqual(['Search']);
  expect(namesIn(await open('/?status=failing'))).toEqual(['Payments &lt;b&gt;']);
  expect(namesIn(await open('/?search=AGE+25'))).toEqual(['Page 25']);
  expect(namesIn(await open(`/?search=${slow.slice(0, 8)}`))).toEqual(['Search']);
  expect(await open('/?tag=shop&status=passing')).toContain('No check matches the filter.');
  for (const odd of ['/?page=-1', '/?page=x', '/?status=odd', '/?search=%00', '/?unknown=1'])
    expect(namesIn(await open(odd))).toHaveLength(25);
  expect(namesIn(await open('/?page=99999'))).toEqual([]);
  expect(await open('/?search=%22%3E%3Cscript%3E')).not.toContain('<script>');
});

it('shows incidents, maintenance, private locations and alerts that were not sent', async () => {
  const [service = ''] = await makeServices(world, ['Shop']);
  await makeIncident(world, [service], { name: 'All is down', severity: 'CRITICAL' });
  await makeIncident(world, [service], { name: 'Orders fail & come late' });
  const at = (hours: number) => new Date(world.now() + hours * 3_600_000).toISOString();
  for (const [name, hours] of [
    ['Upgrade later', 40],
    ['Upgrade now', -1],
  ] as const)
    await call(world, contract.createMaintenanceWindow, {
      body: { name, startsAt: at(hours), endsAt: at(hours + 2), repeatUnit: null },
    });
  await call(world, contract.createPrivateLocation, { body: { name: 'Cellar', slugName: 'cellar' } });
  const checkId = await createCheck('Cart <1>');
  for (const [key, check_id] of [
    ['one', null],
    ['two', checkId],
  ] as const)
    await world.store.outbox.insert(
      {
        ...{ account_id: world.accountId, kind: 'webhook', payload: '{}', idempotency_key: key },
        ...{ destination: 'hooks.example', lane: key, not_before: world.now(), recipient: 'hooks.example' },
        ...{ channel_id: null, check_id, alert_type: 'ALERT_FAILURE' },
      },
      'the host refused the connection',
    );
  await makePage(world, 'customers', [service]);
  await makeDashboard(world, 'wall', { header: 'Wall <1>' });
  const page = await open();
  expect(page).toMatch(/href="\/dashboards\/wall"><bdi>Wall &lt;1&gt;<.*href="\/status\/customers"/s);
  // Checks come last, but first for who filters them.
  expect(page.indexOf('id="incidents"')).toBeLessThan(page.indexOf('id="checks"'));
  const filtered = await open('/?status=failing');
  expect(filtered.indexOf('id="incidents"')).toBeGreaterThan(filtered.indexOf('id="checks"'));
  expect(page).toMatch(
    /Open incidents.*All is down.*Critical.*href="\/incidents\/[^"]+"><bdi>Orders fail &amp; come late.*Major/s,
  );
  expect(page).toMatch(/Upgrade now.*In progress.*Upgrade later.*Scheduled/s);
  expect(page).toMatch(/Private locations.*Cellar.*No agent has connected yet/s);
  expect(page).toMatch(
    /Alerts that were not sent.*webhook to <bdi>hooks\.example.*the host refused the connection/s,
  );
  const unsent = page.slice(page.indexOf('id="deliveries"'), page.indexOf('id="incidents"'));
  expect(unsent.match(/A deleted check|<a href="[^"]+"><bdi>[^<]+/g)).toEqual([
    `<a href="/checks/${checkId}"><bdi>Cart &lt;1&gt;`,
    'A deleted check',
  ]);
});

it('shows another account nothing of it', async () => {
  const { apiKey } = await world.newAccount();
  const page = await (await get(world, '/', { cookie: await signIn(world, apiKey) })).text();
  for (const words of ['Payments', 'Orders fail', 'Upgrade', 'Cellar', 'hooks.example'])
    expect(page).not.toContain(words);
});

it('its button runs a check, for who is signed in on this service alone', async () => {
  const id = await createCheck('Run me', { activated: true, locations: ['eu-west-1'], frequency: 1440 });
  const token = tokenIn((await open()).split('id="checks"')[1] ?? '');
  const run = (fields: Record<string, string>, headers: Record<string, string> = { cookie }, check = id) =>
    post(world, `/checks/${check}/run`, fields, headers);
  const another = await signIn(world, (await world.newAccount()).apiKey);
  expect((await run({ token }, {})).status).toBe(401);
  expect((await run({ token: 'wrong' })).status).toBe(400);
  expect((await run({ token }, { cookie: another })).status).toBe(400);
  expect((await run({ token }, { cookie, 'sec-fetch-site': 'same-site' })).status).toBe(403);
  const theirs = tokenIn(
    (await (await get(world, '/', { cookie: another })).text()).split('id="checks"')[1] ?? '',
  );
  expect(theirs).toBe('');
  expect((await run({ token }, { cookie }, 'none')).status).toBe(404);
  const started = await run({ token });
  expect(started.status).toBe(303);
  const path = started.headers.get('location') ?? '';
  expect(path).toMatch(/^\/check-sessions\//);
  const session = await call(world, contract.getCheckSession, {
    params: { checkSessionId: path.split('/')[2] ?? '' },
  });
  expect(session).toMatchObject({ runSource: 'SCHEDULE_NOW', checkId: id });
  expect(await open()).toContain(path);
});
