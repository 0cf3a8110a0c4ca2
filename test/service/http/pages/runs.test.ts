/** The pages of sessions and results: what they tell, and to whom. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { startLoopbackNameServer } from '../../../../src/runners/dns/loopback-server.ts';
import { byHand } from '../../../support/by-hand.ts';
import { call } from '../../../support/call.ts';
import { get, post, startWorld, tokenIn, type World } from './world.ts';

let world: World;
let server: Awaited<ReturnType<typeof startLoopbackNameServer>>;
let checkId = '';
beforeAll(async () => {
  world = await startWorld();
  server = await startLoopbackNameServer({ records: { 'www.example': [{ type: 'A', data: '192.0.2.7' }] } });
  const check = await call(world, contract.createDnsCheck, {
    body: {
      ...{ name: 'www.example resolves', heartbeat: {}, script: '', ...byHand() },
      ...{ locations: ['eu-west-1', 'us-east-1'], runParallel: true },
      retryStrategy: { type: 'FIXED', maxRetries: 1, baseBackoffSeconds: 0 },
      request: {
        ...{ query: 'www.example', nameServer: server.address, port: server.port },
        assertions: [
          { source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NOERROR' },
          { source: 'JSON_ANSWER', property: '$.Answer[0].data', comparison: 'EQUALS', target: '192.0.2.8' },
          { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '10000' },
        ],
      },
    },
  });
  checkId = String((check as { id: string }).id);
});
afterAll(async () => {
  await world.close();
  await server.close();
});

async function run(id = checkId) {
  const [started] = (
    await call(world, contract.triggerCheckSessions, { body: { target: { checkId: [id] } } })
  ).sessions;
  const params = { checkSessionId: started?.checkSessionId ?? '' };
  return call(world, contract.awaitCheckSession, { params, query: { maxWaitSeconds: 20 } });
}
const open = async (link = '') => (await fetch(link, { headers: { accept: 'text/html' } })).text();

it('a session’s page tells its verdict, each location and what went wrong, and leads to the details', async () => {
  const session = await run();
  const page = await open(session.checkSessionLink);
  for (const words of [
    'Failed',
    'eu-west-1</span> <span class="muted">(simulated: this machine)</span>',
    'us-east-1</span> <span class="muted">(simulated: this machine)</span>',
    'Errors',
    'API',
  ])
    expect(page).toContain(words);
  expect(page).toMatch(/<p>Failed.*<p class="why">Of 2 results: 2 failed<\/p>/);
  expect(page).toContain(`href="/checks/${checkId}"`);
  const links = [...page.matchAll(/href="(\/check-sessions\/[^"]+\/results\/[^"]+)"/g)];
  // In the table, and over its errors.
  expect(links).toHaveLength(4);
  const results = [...new Set(links.map(([, path]) => path))];
  expect(results).toHaveLength(2);
  const result = await (await get(world, results[0] ?? '')).text();
  expect(result).toMatch(/less than <code>10000 ms<\/code>.*<code>[\d.]+ ms<\/code>/);
  // The failed one first.
  expect(result).toMatch(/id="assertions".*JSON answer.*Response code.*Response time/s);
  for (const words of [
    '192.0.2.8',
    '192.0.2.7',
    'www.example</dd>',
    'A</dd>',
    'NOERROR',
    'Attempt 1',
    '2 of 2',
  ])
    expect(result).toContain(words);
});

it('a session’s page tells where each attempt of a retry elsewhere ran', async () => {
  const { id } = await call(world, contract.createDnsCheck, {
    body: {
      ...{ name: 'elsewhere', heartbeat: {}, script: '', ...byHand(), locations: ['eu-west-1', 'us-east-1'] },
      retryStrategy: { type: 'FIXED', maxRetries: 1, baseBackoffSeconds: 0, sameRegion: false },
      request: { query: 'missing.example', nameServer: server.address, port: server.port },
    },
  });
  const session = await run(String(id));
  const [attempt, final] = session.results;
  expect(attempt).toMatchObject({ resultType: 'ATTEMPT', runLocation: 'eu-west-1' });
  expect(final).toMatchObject({ resultType: 'FINAL', runLocation: expect.not.stringContaining('eu-west-1') });
  const page = await open(session.checkSessionLink);
  expect(page).toContain(`${final?.runLocation}</span>`);
  expect(page).toContain('earlier attempts in <span class="whole">eu-west-1</span>');
  expect(page).not.toContain('No result');
});

it('a session’s page calls a private location real', async () => {
  await call(world, contract.createPrivateLocation, { body: { name: 'Cellar', slugName: 'cellar' } });
  const { id } = await call(world, contract.createDnsCheck, {
    body: {
      ...{ name: 'inside', heartbeat: {}, script: '', ...byHand(), privateLocations: ['cellar'] },
      request: { query: 'www.example', nameServer: server.address, port: server.port },
    },
  });
  const { sessions } = await call(world, contract.triggerCheckSessions, {
    body: { target: { checkId: [String(id)] } },
  });
  const page = await open(sessions[0]?.checkSessionLink);
  expect(page).toContain('<td>cellar</td>');
  expect(page).not.toContain('simulated');
});

it('a link opens what it leads to and nothing else', async () => {
  const session = await run();
  const link = session.checkSessionLink ?? '';
  const [, id, key] = /check-sessions\/([^/]+)\/([^/]+)$/.exec(link) ?? [];
  const other = (await run()).checkSessionId;
  const [first] = session.results;
  for (const path of [
    `/check-sessions/${other}/${key}`,
    `/check-sessions/${id}/${key?.slice(0, -1)}`,
    `/check-sessions/${id}`,
    `/check-sessions/${id}/results/${first?.checkResultId}/${key}`,
    `/check-sessions/${other}/results/${first?.checkResultId}/${first?.checkResultLink?.split('/').at(-1)}`,
    `/test-sessions/${id}/${key}`,
  ])
    expect((await get(world, path)).status).toBe(404);
  expect(link).not.toContain(world.apiKey);
});

it('the button on a session’s page runs the check again for who has a key of its account, and for nobody else', async () => {
  const session = await run();
  const { pathname } = new URL(session.checkSessionLink ?? '');
  expect(await open(session.checkSessionLink)).toContain(`href="${pathname}/run"`);
  const token = tokenIn(await open(`${session.checkSessionLink}/run`));
  const key = world.apiKey;
  const another = await world.newAccount();
  const sent = (fields: Record<string, string>, headers = {}) =>
    post(world, `${pathname}/run`, fields, headers);
  expect((await sent({ token: 'wrong', key })).status).toBe(400);
  expect((await sent({ token, key }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  for (const other of ['', 'sk_wrong', another.apiKey]) {
    const refused = await sent({ token, key: other });
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('The API key is not valid for the account');
  }
  const before = await world.store.db.selectFrom('check_sessions').select('id').execute();
  expect(before.filter(({ id }) => id === session.checkSessionId)).toHaveLength(1);
  const started = await sent({ token, key: ` ${key} ` });
  expect(started.status).toBe(303);
  expect(await world.store.db.selectFrom('check_sessions').select('id').execute()).toHaveLength(
    before.length + 1,
  );
  const location = started.headers.get('location') ?? '';
  expect(await (await get(world, location)).text()).toContain('Run now');
  const params = { checkSessionId: location.split('/')[2] ?? '' };
  const again = await call(world, contract.awaitCheckSession, { params, query: { maxWaitSeconds: 20 } });
  expect(again).toMatchObject({ runSource: 'SCHEDULE_NOW', checkId });
});

it('a test session’s page tells each check, the worst first', async () => {
  const good = await call(world, contract.createDnsCheck, {
    body: {
      ...{ name: 'a check that passes', heartbeat: {}, script: '', ...byHand() },
      request: { query: 'www.example', nameServer: server.address, port: server.port },
    },
  });
  const started = await call(world, contract.triggerTestSessions, {
    body: {
      ...{
        name: 'release 7',
        runLocation: 'eu-west-1',
        target: { checkId: [String((good as { id: string }).id), checkId] },
      },
      metadata: { branchName: '<b>main' },
    },
  });
  const params = { testSessionId: started.testSessionId };
  const ended = await call(world, contract.awaitTestSession, { params, query: { maxWaitSeconds: 20 } });
  const page = await open(ended.testSessionLink);
  for (const words of ['release 7', 'Failed', 'Of 2 results: 1 failed', '&lt;b&gt;main'])
    expect(page).toContain(words);
  expect(page).toMatch(/id="results".*www\.example resolves.*a check that passes/s);
  const result = await fetch(ended.results?.[0]?.testSessionResultLink ?? '');
  expect(result.status).toBe(200);
});
