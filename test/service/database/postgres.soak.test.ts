/** Tests a service under long database faults: ended connections, server kills and network failures. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type LinkFault, startLinkProxy } from '../../support/link-proxy.ts';
import { serverSocket } from '../../support/postgres.ts';
import { makeCluster, startServer } from '../../support/postgres-server.ts';
import {
  createCheck,
  createHome,
  startService,
  trigger,
  waitForPassedSession,
  waitForReadyStatus,
} from './process.ts';

const TERMINATIONS = 100;
const KILLS = 20;
/** Documented limits in ms, and a margin for loaded machines. */
const [READY_MS, RUNNING_MS, SLOW_MS] = [2000, 5000, 1000];
const GRACE_MS = 3000;

const home = mkdtempSync(join(tmpdir(), 'sonde-cluster-'));
const folder = join(home, 'postgres');
let server: { readonly pid: number; readonly url: string };
let databases = 0;

beforeAll(async () => {
  // The user of the Postgres process must be able to traverse the folder.
  chmodSync(home, 0o755);
  await makeCluster(folder);
  server = await startServer(folder);
});
afterAll(() => {
  process.kill(server.pid, 'SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

async function query(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows as Record<string, unknown>[];
}

async function createDatabase(): Promise<string> {
  databases += 1;
  const name = `soak_${databases}`;
  await query(server.url, `create database ${name}`);
  return server.url.replace('/postgres?', `/${name}?`);
}

const TERMINATE =
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';

/** Counts the responses to start requests. A request rejected with Retry-After has started nothing. */
function startLoad(at: Parameters<typeof trigger>[0], checkId: string, atOnce: number) {
  const counts = { started: 0, refused: 0, unknown: 0, other: [] as number[] };
  let isOver = false;
  const loops = Array.from({ length: atOnce }, async () => {
    while (!isOver) {
      const answer = await trigger(at, checkId);
      if (answer?.status === 201) counts.started += 1;
      else if (answer?.status === 503 && answer.headers.get('retry-after') !== null) counts.refused += 1;
      else if (answer?.status === 503) counts.unknown += 1;
      else counts.other.push(answer?.status ?? 0);
    }
  });
  return {
    counts,
    async stop() {
      isOver = true;
      await Promise.all(loops);
    },
  };
}

test(`survives ${TERMINATIONS} terminations of all its connections under load`, async () => {
  const url = await createDatabase();
  const at = await startService({ home: createHome(), databaseUrl: url, args: ['--rate-limit', '1000000'] });
  const checkId = await createCheck(at);
  const load = startLoad(at, checkId, 4);
  for (let round = 0; round < TERMINATIONS; round += 1) {
    await query(url, TERMINATE);
    const before = load.counts.started;
    await eventually(() => expect(load.counts.started).toBeGreaterThan(before));
    expect(at.child.exitCode, at.said()).toBeNull();
  }
  await load.stop();
  const { counts } = load;
  expect(counts.other).toEqual([]);
  const [row] = await query(url, 'select count(*)::int as sessions from check_sessions');
  const sessions = Number(row?.sessions);
  expect(sessions).toBeGreaterThanOrEqual(counts.started);
  expect(sessions).toBeLessThanOrEqual(counts.started + counts.unknown);
  // Every session must end with the result of its run.
  await eventually(async () => {
    const rows = await query(url, 'select status, count(*)::int as n from check_sessions group by status');
    expect(rows).toEqual([{ status: 'PASSED', n: sessions }]);
  }, 500);
  console.log(`terminations: ${JSON.stringify(counts)}, sessions ${sessions}`);
});

test(`survives ${KILLS} kills of Postgres, and runs checks within 5 s of its return`, async () => {
  const url = await createDatabase();
  const at = await startService({ home: createHome(), databaseUrl: url });
  const checkId = await createCheck(at);
  await waitForPassedSession(at, checkId);
  const [unready, back]: [number[], number[]] = [[], []];
  for (let round = 0; round < KILLS; round += 1) {
    process.kill(server.pid, 'SIGKILL');
    unready.push(await waitForReadyStatus(at, 503));
    server = await eventually(() => startServer(folder), 100);
    const began = performance.now();
    await waitForPassedSession(at, checkId);
    back.push(performance.now() - began);
    expect(at.child.exitCode, at.said()).toBeNull();
    await waitForReadyStatus(at, 200);
  }
  console.log(`kills: /ready after at most ${Math.max(...unready)} ms, checks after ${Math.max(...back)} ms`);
  expect(Math.max(...unready)).toBeLessThan(READY_MS + SLOW_MS);
  expect(Math.max(...back)).toBeLessThan(RUNNING_MS + SLOW_MS);
});

test.each<readonly [LinkFault, isUsable: boolean]>([
  ['half-open', false],
  ['stalled', false],
  ['cut', false],
  ['reset', false],
  ['delayed', true],
])('tells the truth and ends in time while its link is %s', async (fault, isUsable) => {
  const url = await createDatabase();
  const proxy = await startLinkProxy(serverSocket(url));
  onTestFinished(() => proxy.close());
  const args = ['--grace', `${GRACE_MS}ms`, '--rate-limit', '1000000'];
  const at = await startService({ home: createHome(), databaseUrl: proxy.urlOf(url), args });
  const checkId = await createCheck(at);
  await waitForPassedSession(at, checkId);
  const times: string[] = [];
  for (const lastsMs of [1000, 4000, 12_000]) {
    // A slow connection allows fewer requests.
    const load = startLoad(at, checkId, isUsable ? 1 : 4);
    await proxy.begin(fault);
    if (!isUsable) {
      const unreadyMs = await waitForReadyStatus(at, 503);
      times.push(`${lastsMs}: not ready after ${Math.round(unreadyMs)}`);
      expect(unreadyMs).toBeLessThan(READY_MS + SLOW_MS);
    }
    await new Promise((resolve) => setTimeout(resolve, lastsMs));
    if (isUsable) await waitForPassedSession(at, checkId);
    await proxy.end();
    const began = performance.now();
    await waitForPassedSession(at, checkId);
    const backMs = performance.now() - began;
    times.push(`back after ${Math.round(backMs)}`);
    expect(backMs).toBeLessThan(RUNNING_MS + SLOW_MS);
    await waitForReadyStatus(at, 200);
    await load.stop();
    expect(load.counts.other).toEqual([]);
    const [row] = await query(url, 'select count(*)::int as sessions from check_sessions');
    times.push(JSON.stringify(load.counts), `sessions ${row?.sessions}`);
  }
  const load = startLoad(at, checkId, 2);
  await proxy.begin(fault);
  if (!isUsable) await waitForReadyStatus(at, 503);
  const ended = new Promise((resolve) => at.child.once('exit', (code, signal) => resolve(code ?? signal)));
  const began = performance.now();
  at.child.kill('SIGTERM');
  expect(await ended).toBe(0);
  const endedMs = performance.now() - began;
  times.push(`ended after ${Math.round(endedMs)}`);
  console.log(`${fault}: ${times.join('; ')}`);
  expect(endedMs).toBeLessThan(GRACE_MS + SLOW_MS);
  await load.stop();
});
