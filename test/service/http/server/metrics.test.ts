/** `GET /metrics`: the text format, the series of each check, their limit, and who sees which checks. */
import { get } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { call } from '../../../support/call.ts';
import { startTestService } from '../../../support/service.ts';
import { BAD, GOOD, OURS } from '../../notify/alerts/outcomes.ts';
import { type Family, parseExposition } from './exposition.ts';
import { ODD_NAME, runEveryVerdict, startMetricsWorld } from './metrics-world.ts';

const CHECK_FAMILIES = [
  'sonde_check_up',
  'sonde_check_degraded',
  'sonde_check_last_duration_seconds',
  'sonde_check_last_run_timestamp_seconds',
  'sonde_check_sessions_ended_total',
];

const LOCATION_FAMILIES = [
  'sonde_check_location_up',
  'sonde_check_location_duration_seconds',
  'sonde_check_location_phase_duration_seconds',
  'sonde_check_location_last_run_timestamp_seconds',
  'sonde_check_location_certificate_expiry_timestamp_seconds',
  'sonde_check_location_results_total',
];

const familyOf = (families: readonly Family[], name: string): Family => {
  const found = families.find((family) => family.name === name);
  if (!found) throw new Error(`no ${name}`);
  return found;
};
/** Returns the values of a family by the value of a label. */
const valuesBy = (families: readonly Family[], name: string, label: string): Record<string, number> =>
  Object.fromEntries(
    familyOf(families, name).samples.map(({ labels, value }) => [labels[label] ?? '', value]),
  );
const namesIn = (families: readonly Family[]): string[] =>
  Object.keys(valuesBy(families, 'sonde_check_sessions_ended_total', 'name'));

it('follows the text format: HELP and TYPE for each family, no family and no series twice', async () => {
  const world = await startMetricsWorld();
  await runEveryVerdict(world);
  const families = parseExposition(await world.scrape());
  expect(families.map(({ name }) => name)).toEqual(
    expect.arrayContaining([...CHECK_FAMILIES, ...LOCATION_FAMILIES]),
  );
  for (const { name, type } of families) expect(name.endsWith('_total'), name).toBe(type === 'counter');
  expect(familyOf(families, 'sonde_lateness_seconds').samples.map(({ name }) => name)).toEqual([
    'sonde_lateness_seconds_sum',
    'sonde_lateness_seconds_count',
  ]);
});

it('shows of each check its verdict, its last session, and its sessions by status', async () => {
  const world = await startMetricsWorld();
  const { passing, failing, degraded, idle } = await runEveryVerdict(world);
  const families = parseExposition(await world.scrape());
  expect(valuesBy(families, 'sonde_check_up', 'check_id')).toEqual({
    [passing]: 1,
    [failing]: 0,
    [degraded]: 1,
  });
  expect(valuesBy(families, 'sonde_check_degraded', 'check_id')).toEqual({
    ...{ [passing]: 0, [failing]: 0, [degraded]: 1 },
  });
  const [first] = familyOf(families, 'sonde_check_up').samples;
  expect(first?.labels).toEqual({ check_id: passing, name: ODD_NAME, type: 'DNS' });

  const [session] = (
    await world.service.engine.listSessions({ accountId: world.accountId, checkId: passing })
  ).entries;
  const [startedAt, stoppedAt] = [Date.parse(session?.startedAt ?? ''), Date.parse(session?.stoppedAt ?? '')];
  const timestamps = valuesBy(families, 'sonde_check_last_run_timestamp_seconds', 'check_id');
  expect(timestamps[passing]).toBe(startedAt / 1000);
  expect(valuesBy(families, 'sonde_check_last_duration_seconds', 'check_id')[passing]).toBe(
    (stoppedAt - startedAt) / 1000,
  );
  expect(timestamps).not.toHaveProperty(idle);

  const counts = familyOf(families, 'sonde_check_sessions_ended_total').samples;
  const countsOf = (id: string) =>
    Object.fromEntries(
      counts
        .filter(({ labels }) => labels.check_id === id)
        .map(({ labels, value }) => [labels.status, value]),
    );
  const none = { PASSED: 0, FAILED: 0, DEGRADED: 0, TIMED_OUT: 0, CANCELLED: 0 };
  expect(countsOf(passing)).toEqual({ ...none, PASSED: 1, FAILED: 1 });
  expect(countsOf(idle)).toEqual(none);
});

it('shows of each location the last result, its phases, its certificate, and results by status', async () => {
  const world = await startMetricsWorld();
  const id = await world.check('shop');
  const startedAt = Date.now();
  const tls = {
    host: 'a.example',
    validTo: '2030-01-01T00:00:00.000Z',
    fingerprint: Array(32).fill('0A').join(':'),
  };
  await world.run(id, { ...GOOD, responseTime: 250, details: { tls, timing: { dns: 20, firstByte: 130 } } });
  await world.run(id, OURS);
  const families = parseExposition(await world.scrape());
  const labels = { check_id: id, name: 'shop', location: 'us-east-1' };
  const samplesOf = (name: string) =>
    familyOf(families, `sonde_check_location_${name}`).samples.map((sample) => {
      expect(sample.labels).toMatchObject(labels);
      return [sample.labels.phase ?? sample.labels.status ?? '', sample.value] as const;
    });
  expect(samplesOf('up')).toEqual([['', 1]]);
  expect(samplesOf('duration_seconds')).toEqual([['', 0.25]]);
  expect(samplesOf('phase_duration_seconds')).toEqual([
    ['dns', 0.02],
    ['first_byte', 0.13],
  ]);
  expect(samplesOf('certificate_expiry_timestamp_seconds')).toEqual([['', Date.UTC(2030, 0, 1) / 1000]]);
  const [[, ranAt = 0] = []] = samplesOf('last_run_timestamp_seconds');
  expect(ranAt * 1000).toBeGreaterThanOrEqual(startedAt);
  expect(Object.fromEntries(samplesOf('results_total'))).toEqual({
    passed: 1,
    degraded: 0,
    failed: 0,
    error: 1,
  });
  expect(familyOf(families, 'sonde_ready').samples).toMatchObject([{ value: 1 }]);
});

it('has series of at most ten locations of a check, and says how many it omits', async () => {
  const world = await startMetricsWorld();
  const id = await world.check('everywhere');
  const row = (location: string) => ({
    ...{ check_id: id, location, account_id: world.accountId, status: 'passing', result_id: 'r' },
    ...{ good_result_id: 'r', started_at: 1, response_time_us: 1, phases: null, certificate: null },
    ...{ passed: 1, degraded: 0, failed: 0, errors: 0 },
  });
  const locations = Array.from({ length: 12 }, (_, index) => `place-${String(index).padStart(2, '0')}`);
  await world.store.checkLocations.record(Date.now(), locations.map(row));
  const families = parseExposition(await world.scrape());
  expect(Object.keys(valuesBy(families, 'sonde_check_location_up', 'location'))).toEqual(
    locations.slice(0, 10),
  );
  expect(familyOf(families, 'sonde_check_locations_omitted').samples).toMatchObject([{ value: 2 }]);
});

it('forgets a deleted check', async () => {
  const world = await startMetricsWorld();
  const id = await world.check('short-lived');
  await world.run(id, GOOD);
  expect(world.service.engine.sessionsOf(id)).toEqual({ PASSED: 1 });
  const headers = { authorization: `Bearer ${world.apiKey}` };
  await fetch(`${world.url}/v1/checks/${id}`, { method: 'DELETE', headers });
  expect(world.service.engine.sessionsOf(id)).toEqual({});
  expect(namesIn(parseExposition(await world.scrape()))).toEqual([]);
});

it.each([
  { limit: 2, shown: ['first', 'second'], omitted: 1 },
  { limit: 3, shown: ['first', 'second', 'third'], omitted: 0 },
])('has series of at most $limit checks, the oldest, and says how many it omits', async (row) => {
  const world = await startMetricsWorld(row.limit);
  for (const name of ['first', 'second', 'third']) await world.check(name);
  const families = parseExposition(await world.scrape());
  expect(namesIn(families)).toEqual(row.shown);
  expect(familyOf(families, 'sonde_checks_omitted').samples).toEqual([
    { name: 'sonde_checks_omitted', labels: {}, value: row.omitted },
  ]);
});

it('has no series of checks with a limit of 0', async () => {
  const world = await startMetricsWorld(0);
  await world.check('hidden');
  expect(parseExposition(await world.scrape()).filter(({ name }) => name.includes('_check'))).toEqual([]);
});

it('shows the holder of a key only the checks of its account', async () => {
  const reached = await startTestService({ publicUrl: 'https://sonde.example.com' });
  onTestFinished(() => reached.close());
  const other = await reached.newAccount();
  const create = (accountId: string, name: string) =>
    reached.store.checks.create(accountId, {
      type: 'DNS',
      body: { name, request: { query: 'example.org' }, heartbeat: {}, script: '', activated: false },
    });
  await create(reached.accountId, 'ours');
  await create(other.accountId, 'theirs');
  const scrape = async (apiKey: string) => {
    const response = await fetch(`http://127.0.0.1:${reached.port}/metrics`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    return namesIn(parseExposition(await response.text()));
  };
  expect(await scrape(reached.apiKey)).toEqual(['ours']);
  expect(await scrape(other.apiKey)).toEqual(['theirs']);
});

it('shows each change of a check that it has shown before', async () => {
  const world = await startMetricsWorld();
  const id = await world.check('before');
  await world.check('another');
  const headers = { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' };
  const send = (method: string, body?: object) =>
    fetch(`${world.url}/v1/checks/${id}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  /** Returns the lines of the check, after the same scrape without a change in between. */
  const linesOf = async (name: string) => {
    await world.scrape();
    const lines = (await world.scrape()).split('\n').filter((line) => line.includes(`name="${name}"`));
    return lines.map((line) => line.replaceAll(/^sonde_check_|name="[^"]*"|check_id="[^"]*"|[{},]/g, ''));
  };
  const counts = (passed: number, failed: number) => [
    `sessions_ended_totaltype="DNS"status="PASSED" ${passed}`,
    `sessions_ended_totaltype="DNS"status="FAILED" ${failed}`,
  ];
  expect(await linesOf('before')).toEqual(expect.arrayContaining(counts(0, 0)));
  await world.run(id, GOOD);
  expect(await linesOf('before')).toEqual(expect.arrayContaining(['uptype="DNS" 1', ...counts(1, 0)]));
  await world.run(id, BAD);
  expect(await linesOf('before')).toEqual(
    expect.arrayContaining([
      ...['uptype="DNS" 0', ...counts(1, 1), 'location_uplocation="us-east-1" 0'],
      'location_results_totallocation="us-east-1"status="failed" 1',
    ]),
  );
  await send('PUT', { name: 'after' });
  expect(await linesOf('before')).toEqual([]);
  expect(await linesOf('after')).toEqual(expect.arrayContaining(['uptype="DNS" 0', ...counts(1, 1)]));
  await send('DELETE');
  expect(await linesOf('after')).toEqual([]);
  expect(await linesOf('another')).toHaveLength(5);
});

it('has no verdict of a check that is deactivated, or whose group is', async () => {
  const world = await startMetricsWorld();
  const [one, two] = [await world.check('paused'), await world.check('of a paused group')];
  for (const id of [one, two]) await world.run(id, BAD);
  const withVerdict = async () => {
    const families = parseExposition(await world.scrape());
    return familyOf(families, 'sonde_check_up').samples.map(({ labels }) => labels.name);
  };
  const update = (id: string, change: object) =>
    fetch(`${world.url}/v1/checks/${id}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(change),
    });
  expect(await withVerdict()).toEqual(['paused', 'of a paused group']);
  await update(one, { activated: false });
  expect(await withVerdict()).toEqual(['of a paused group']);
  const { id: groupId } = await call(world, contract.createCheckGroup, {
    body: { name: 'Off', activated: false },
  });
  await update(two, { groupId });
  expect(await withVerdict()).toEqual([]);
});

describe('--metrics-listen', () => {
  const listenWith = async (isOpenToScripts: boolean) => {
    const metricsListen = { host: '127.0.0.1', port: 0, isOpenToScripts };
    const at = await startTestService({ metricsListen });
    onTestFinished(() => at.close());
    const body = { name: 'ours', request: { query: 'example.org' }, heartbeat: {}, script: '' };
    await at.store.checks.create(at.accountId, { type: 'DNS', body: { ...body, activated: false } });
    const url = at.service.metricsUrl() ?? '';
    const scrape = async () => parseExposition(await (await fetch(url)).text());
    return { at, url, scrape };
  };

  it('serves the checks of all accounts without a key, and nothing else', async () => {
    const { at, url, scrape } = await listenWith(false);
    await at.newAccount();
    expect(namesIn(await scrape())).toEqual(['ours']);
    for (const path of ['/', '/v1/checks', '/health', '/metrics/x'])
      expect((await fetch(new URL(path, url))).status).toBe(404);
    expect((await fetch(url, { method: 'POST', body: 'a' })).status).toBe(404);
    const rebound = await new Promise<number | undefined>((resolve) => {
      get(url, { headers: { host: 'rebound.example' } }, (response) => resolve(response.resume().statusCode));
    });
    expect(rebound).toBe(403);
    expect((await fetch(`${at.url}/metrics`)).status).toBe(401);
  });

  it('names no checks once there are several accounts, if scripts can reach it', async () => {
    const { at, scrape } = await listenWith(true);
    expect(namesIn(await scrape())).toEqual(['ours']);
    await at.newAccount();
    const families = await scrape();
    expect(families.filter(({ name }) => name.startsWith('sonde_check'))).toEqual([]);
    expect(familyOf(families, 'sonde_ready').samples).toMatchObject([{ value: 1 }]);
  });

  it('says which flag to change if its address is taken', async () => {
    const { at } = await listenWith(true);
    const metricsListen = { host: '127.0.0.1', port: at.port, isOpenToScripts: true };
    await expect(startTestService({ metricsListen })).rejects.toMatchObject({
      message: expect.stringContaining('the address is already in use'),
      hint: 'choose another address with --metrics-listen HOST:PORT',
    });
  });
});
