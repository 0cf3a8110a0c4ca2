/** Tests `service start` with a Postgres that is not running yet, rejects clients, or has a pooler, and with a folder in use. */
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { openStore } from '../../../src/service/store/index.ts';
import { connectClient, runQuery } from '../../../src/service/store/postgres/client.ts';
import { followingClock } from '../../../src/service/store/postgres/connect-peers.ts';
import { eventually } from '../../support/eventually.ts';
import { startLinkProxy } from '../../support/link-proxy.ts';
import { startPooler } from '../../support/pooler.ts';
import { openPostgres, serverSocket } from '../../support/postgres.ts';
import { send } from '../../support/send.ts';
import { startTestService } from '../../support/service.ts';
import { createHome, runSonde, spawnService, startService } from './process.ts';

const newDatabase = async () => (await openPostgres()).createDatabase();
const open = (url: string, waitMs = 0, warnings: string[] = []) =>
  openStore(
    { url },
    {
      ...{ clock: systemClock, random: systemRandom, database: { waitMs } },
      onWarn: (message) => void warnings.push(message),
    },
  );

/** Starts a server on loopback, and closes it after the test. */
async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer(onConnection);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

/** Starts a server that rejects all clients with this SQLSTATE. */
const startRejectingServer = (code: string) =>
  listen((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mrefused by the test\0\0`);
      const head = Buffer.alloc(5);
      head.write('E');
      head.writeInt32BE(fields.length + 4, 1);
      socket.end(Buffer.concat([head, fields]));
    });
  });

test('waits for a late database with one warning, and starts', async () => {
  const url = await newDatabase();
  const proxy = await startLinkProxy(serverSocket(url));
  onTestFinished(() => proxy.close());
  await proxy.begin('cut');
  const service = spawnService({ home: createHome(), databaseUrl: proxy.urlOf(url) });
  await eventually(() =>
    expect(service.said()).toContain('waiting up to 60 s for the database at 127.0.0.1'),
  );
  await proxy.end();
  await eventually(() => expect(service.said()).toContain('Listening on '));
  expect(service.said().match(/waiting up to/g)).toHaveLength(1);
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
});

test('exits with 6 if no database is available in time, so that a supervisor restarts it', async () => {
  const databaseUrl = 'postgres://me:hunter2@127.0.0.1:1/monitoring';
  const service = spawnService({ home: createHome(), databaseUrl, env: { SONDE_DATABASE_WAIT: '700ms' } });
  expect(await service.ended).toBe(6);
  expect(service.said()).toMatch(
    /the database at 127\.0\.0\.1:1\/monitoring is not reachable: .*ECONNREFUSED/,
  );
  expect(service.said()).not.toContain('hunter2');
});

test('stops waiting on a signal', async () => {
  const service = spawnService({ home: createHome(), databaseUrl: 'postgres://me@127.0.0.1:1/x' });
  await eventually(() => expect(service.said()).toContain('waiting up to 60 s'));
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(143);
});

test.each([
  ['28P01', 'a wrong password'],
  ['28000', 'a user that may not connect'],
  ['3D000', 'a database that does not exist'],
])('does not wait where the server answers %s: %s', async (code) => {
  const databaseUrl = `postgres://me:hunter2@127.0.0.1:${await startRejectingServer(code)}/x`;
  const service = spawnService({ home: createHome(), databaseUrl });
  expect(await service.ended).toBe(2);
  expect(service.said()).toContain('cannot be used: refused by the test');
});

test.each(['57P03', '53300'])(
  'waits for a server that responds with the transient error %s',
  async (code) => {
    const warnings: string[] = [];
    const refused = open(`postgres://me@127.0.0.1:${await startRejectingServer(code)}/x`, 100, warnings);
    await expect(refused).rejects.toMatchObject({ exitCode: 6 });
    expect(warnings).toHaveLength(1);
  },
);

test('gives up on a server that accepts the connection and never responds', async () => {
  const refused = open(`postgres://me@127.0.0.1:${await listen(() => {})}/x`);
  await expect(refused).rejects.toMatchObject({ exitCode: 6 });
});

test('rejects a malformed URL', async () => {
  await expect(open('postgres://me@127.0.0.1:port/x')).rejects.toMatchObject({ exitCode: 2 });
});

test.each(['transaction', 'statement'] as const)('rejects a pooler in the mode %s', async (mode) => {
  const pooler = await startPooler(serverSocket(await newDatabase()), mode);
  onTestFinished(() => pooler.close());
  await expect(open(pooler.urlOf(await newDatabase()))).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining('without session pooling'),
    hint: expect.stringContaining('pool_mode = session'),
  });
});

test('works with a pooler with session pooling', async () => {
  const url = await newDatabase();
  const pooler = await startPooler(serverSocket(url), 'session');
  onTestFinished(() => pooler.close());
  const store = await open(pooler.urlOf(url));
  expect(await store.accounts.list()).toEqual([]);
  await store.close();
});

test("warns about a pool that uses too many of the server's connections", async () => {
  const warnings: string[] = [];
  const store = await openStore(
    { url: await newDatabase() },
    {
      ...{ clock: systemClock, random: systemRandom, database: { connections: 60 } },
      onWarn: (message) => void warnings.push(message),
    },
  );
  await store.close();
  expect(warnings).toEqual([
    expect.stringContaining('may open 60 connections, but the database accepts only 100'),
  ]);
});

test('reports a clock offset in the log and at /health', async () => {
  const logged: string[] = [];
  const at = await startTestService({
    store: { url: await newDatabase() },
    clock: { ...systemClock, now: () => Date.now() - 40_000 },
    adminSecret: 'secret',
    logger: pino({ level: 'error' }, { write: (line) => void logged.push(JSON.parse(line).msg) }),
  });
  onTestFinished(() => at.close());
  expect(logged).toEqual([
    'the clock of the database is 40.0 s ahead of the clock of this machine: checks follow the clock of this machine',
  ]);
  const { body } = await send(at, 'GET /health');
  const { clockOffsetMs } = body as { readonly clockOffsetMs: number };
  expect(Math.abs(clockOffsetMs - 40_000)).toBeLessThan(1000);
});

test('runs checks by the database clock', async () => {
  const machine = { ...systemClock, now: () => Date.now() - 40_000 };
  const logged: string[] = [];
  const at = await startTestService({
    store: { url: await newDatabase() },
    clock: followingClock(machine),
    logger: pino({ level: 'error' }, { write: (line) => void logged.push(JSON.parse(line).msg) }),
  });
  onTestFinished(() => at.close());
  expect(logged).toEqual([expect.stringMatching(/40\.0 s ahead .* follow the clock of the database$/)]);
  const began = Date.now();
  const { body } = await send(at, 'POST /v1/snippets', { name: 'a', script: '' });
  const { created_at: createdAt } = body as { readonly created_at: string };
  expect(Math.abs(Date.parse(createdAt) - began)).toBeLessThan(20_000);
});

test('limits its connections, and names them', async () => {
  const client = await connectClient(await newDatabase());
  onTestFinished(() => client.drop());
  const names = [
    'application_name',
    'statement_timeout',
    'lock_timeout',
    'idle_in_transaction_session_timeout',
  ];
  const settings = names.map((name) => `current_setting('${name}') as "${name}"`).join(', ');
  expect(await runQuery(client, `select ${settings}`, 5000)).toEqual([
    {
      application_name: 'sonde service',
      statement_timeout: '30s',
      lock_timeout: '10s',
      idle_in_transaction_session_timeout: '10s',
    },
  ]);
});

test('drops a connection that does not respond in time', async () => {
  const client = await connectClient(await newDatabase());
  const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
  await expect(runQuery(client, 'select pg_sleep(60)', 50)).rejects.toThrow('Query read timeout');
  await ended;
});

test('stops, and shows in `service status` why it is not ready, while its database is unavailable', async () => {
  const url = await newDatabase();
  const proxy = await startLinkProxy(serverSocket(url));
  onTestFinished(() => proxy.close());
  const home = createHome();
  const { child } = await startService({ home, databaseUrl: proxy.urlOf(url), args: ['--grace', '1s'] });
  await proxy.begin('cut');
  const status = () => runSonde(home, 'service', 'status', '--data', join(home, 'data'));
  await eventually(async () => {
    const { stdout, stderr } = await status();
    expect(stdout).toMatch(/^ready\tno: the database cannot be reached$/m);
    expect(stderr).toContain('The service is not ready: the database cannot be reached.');
  });
  const { stderr } = await runSonde(home, 'service', 'stop', '--data', join(home, 'data'));
  expect(stderr).toContain('Stopped the service');
  expect(child.exitCode ?? child.signalCode).toBe(0);
});

test('is the only service on its data folder until it ends, also by kill -9', async () => {
  const home = createHome();
  const first = await startService({ home, databaseUrl: await newDatabase() });
  const second = spawnService({ home, databaseUrl: await newDatabase() });
  expect(await second.ended).toBe(2);
  expect(second.said()).toContain(
    `the data folder ${home}/data is in use by another service (pid ${first.child.pid}`,
  );
  first.child.kill('SIGKILL');
  const third = await startService({ home, databaseUrl: await newDatabase() });
  expect(third.child.exitCode).toBeNull();
});
