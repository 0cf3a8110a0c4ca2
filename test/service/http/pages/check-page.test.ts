/** The page of a check: what it shows of a check that ran, and to whom. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import type { Runner } from '../../../../src/runners/core/runner.ts';
import { byHand } from '../../../support/by-hand.ts';
import { call } from '../../../support/call.ts';
import { signIn } from './signed-in.ts';
import { get, makeServices, post, startWorld, tokenIn, type World } from './world.ts';

/** Slow in the second location, and failing or degraded where the URL says so. */
const answers: Runner<never> = async (check, { location }) => {
  const [isBad, isSlow] = ['/bad', '/slow'].map((path) => JSON.stringify(check).includes(path)) as [
    boolean,
    boolean,
  ];
  const responseTime = location === 'us-east-1' ? 72_000 : 4230;
  return {
    hasFailures: isBad,
    hasErrors: false,
    isDegraded: isSlow,
    overMaxResponseTime: false,
    isNetworkError: false,
    responseTime,
    errors: isBad ? ['expected 200, received 500'] : [],
    details: {
      notes: isSlow ? ['over IPv4', 'took 4.2 s (degraded from 1 s)'] : [],
      timing: { dns: 30, connect: 200, tls: 1000, firstByte: 2000, download: 1000, total: responseTime },
    },
  };
};

let world: World;
let cookie: string;
beforeAll(async () => {
  world = await startWorld({ engine: { runners: { URL: answers } as never } });
  cookie = await signIn(world, world.apiKey);
});
afterAll(() => world.close());

const open = async (id: string) => {
  const answer = await get(world, `/checks/${id}`, { cookie });
  return { status: answer.status, page: await answer.text() };
};
const createCheck = async (name: string, more: object = {}, path = '/good') => {
  const { id } = await call(world, contract.createUrlCheck, {
    body: {
      ...{ name, ...byHand(), retryStrategy: null, locations: ['eu-west-1', 'us-east-1'], runParallel: true },
      ...{ request: { url: `https://shop.example${path}` }, ...more },
    },
  });
  return String(id);
};
async function run(id: string) {
  const { sessions } = await call(world, contract.triggerCheckSessions, {
    body: { target: { checkId: [id] } },
  });
  const params = { checkSessionId: sessions[0]?.checkSessionId ?? '' };
  return call(world, contract.awaitCheckSession, { params, query: { maxWaitSeconds: 20 } });
}

it('shows status, numbers, charts by location and phase, and the last results with their pages', async () => {
  const id = await createCheck('Shop <b>', {
    tags: ['eu & us'],
    maxResponseTime: 5000,
    degradedResponseTime: 3000,
  });
  const session = await run(id);
  const { status, page } = await open(id);
  expect(status).toBe(200);
  for (const words of [
    ...['Shop &lt;b&gt;', 'Passing', '100%', '4.2 s', '1 min 12 s', 'Uptime, 90 days'],
    ...[
      'Median response time by location',
      'eu-west-1',
      'us-east-1',
      'Phases of the last requests',
      'First byte',
    ],
    ...['https://shop.example/good', 'Fails at', '5 s', 'eu &amp; us', 'No channel'],
  ])
    expect(page).toContain(words);
  for (const { checkResultLink = '' } of session.results)
    expect(page).toContain(`href="${new URL(checkResultLink).pathname}"`);
  const result = await (
    await fetch(session.results[0]?.checkResultLink ?? '', { headers: { accept: 'text/html' } })
  ).text();
  expect(result).toContain(
    'aria-label="Phases of the request: DNS 30 ms, Connect 200 ms, TLS 1 s, First byte 2 s',
  );
});

it('shows the incident that a failing check opened, its alert channels without their secrets, and its group', async () => {
  const [serviceId = ''] = await makeServices(world, ['Shop']);
  const group = await call(world, contract.createCheckGroup, {
    body: { name: 'Of the shop', locations: [] },
  });
  const url = 'https://hooks.example/secret-token';
  await call(world, contract.createAlertChannel, {
    body: { type: 'WEBHOOK', config: { name: 'On call', url, method: 'POST' } as never },
  });
  const triggerIncident = {
    serviceId,
    name: 'Shop is down',
    description: 'It fails.',
    severity: 'MAJOR' as const,
  };
  const id = await createCheck('Bad', { triggerIncident, groupId: group.id }, '/bad');
  await run(id);
  const { page } = await open(id);
  for (const words of ['Failing', 'Shop is down', 'href="/incidents/', 'On call (webhook)', 'Of the shop'])
    expect(page).toContain(words);
  expect(page).not.toContain('secret-token');
  const path = /href="(\/incidents\/[^"]+)"/.exec(page)?.[1] ?? '';
  expect((await get(world, path, { cookie })).headers.get('location')).toBe('/#incidents');
  const services = [{ id: serviceId }];
  await call(world, contract.createStatusPage, {
    body: { name: 'Shop', url: 'shop', cards: [{ name: 'Shop', services }] },
  });
  const to = (await get(world, path, { cookie })).headers.get('location') ?? '';
  expect(to).toBe(`/status/shop#incident-${path.split('/').at(-1)}`);
  expect(await (await get(world, '/status/shop')).text()).toContain(`id="${to.split('#')[1]}"`);
});

it('says since when a check fails, with the last error and the way to its result', async () => {
  const id = await createCheck('Broken');
  await run(id);
  await call(world, contract.updateUrlCheck, {
    params: { id },
    body: { request: { url: 'https://shop.example/bad' } },
  });
  const { results } = await run(id);
  const { page } = await open(id);
  const [, link = ''] =
    /<p>Failing since <time [^>]+>[^<]+<\/time><\/p><p class="why">expected 200, received 500\. <a href="([^"]+)">See the result/.exec(
      page,
    ) ?? [];
  expect(results.map((result) => new URL(result.checkResultLink ?? '').pathname)).toContain(link);
  const home = await (await get(world, '/', { cookie })).text();
  expect(home.split('id="checks"')[0]).toMatch(
    /Broken<\/bdi>.*<tr class="detail"><td class="small" colspan="6">expected 200, received 500</,
  );
});

it('says why a check is degraded, on its page and on the home page', async () => {
  const id = await createCheck('Sluggish', {}, '/slow');
  await run(id);
  expect((await open(id)).page).toContain('<p class="why">Took 4.2 s (degraded from 1 s). <a href="');
  const home = await (await get(world, '/', { cookie })).text();
  expect(home.split('id="checks"')[0]).toMatch(
    /Sluggish<\/bdi>.*colspan="6">Took 4\.2 s \(degraded from 1 s\)</,
  );
});

it('a check without results says so, and one that its group deactivated has no button', async () => {
  const id = await createCheck('New');
  const { page } = await open(id);
  for (const words of ['No result yet', 'Settings', 'Run now']) expect(page).toContain(words);
  expect(page).not.toMatch(/Phases of|Uptime|Last results/);
  const group = await call(world, contract.createCheckGroup, {
    body: { name: 'Off', activated: false, locations: [] },
  });
  const off = await createCheck('Off', { groupId: group.id });
  const paused = (await open(off)).page;
  expect(paused).toContain('Paused');
  expect(paused).not.toContain('Run now');
});

it('opens after signing in, for its account alone', async () => {
  const id = await createCheck('Mine');
  const stranger = await get(world, `/checks/${id}`);
  const form = await stranger.text();
  expect(stranger.status).toBe(401);
  expect(form).not.toContain('Mine');
  const signedIn = await post(world, '/sign-in', {
    key: world.apiKey,
    token: tokenIn(form),
    path: /name="path" value="([^"]+)"/.exec(form)?.[1] ?? '',
  });
  expect(signedIn.headers.get('location')).toBe(`/checks/${id}`);
  const another = await signIn(world, (await world.newAccount()).apiKey);
  for (const [path, own] of [
    [`/checks/${id}`, another],
    ['/checks/none', cookie],
    ['/checks/%00', cookie],
  ] as const)
    expect((await get(world, path, { cookie: own })).status).toBe(404);
});
