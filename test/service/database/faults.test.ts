/** Tests a service whose Postgres fails: it keeps running, reports the fault, rejects writes, and recovers with the database. */
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import * as contract from '../../../src/contract/index.ts';
import { DatabaseFault } from '../../../src/service/store/index.ts';
import { call } from '../../support/call.ts';
import { eventually } from '../../support/eventually.ts';
import { type LinkFault, type LinkProxy, startLinkProxy } from '../../support/link-proxy.ts';
import { openPostgres, type Postgres, serverSocket } from '../../support/postgres.ts';
import { send } from '../../support/send.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { createTarget } from '../engine/harness.ts';

let server: Postgres;
beforeAll(async () => {
  server = await openPostgres();
});

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function startBehindProxy(
  target = createTarget(),
): Promise<{ at: TestService; proxy: LinkProxy; url: string }> {
  const url = await server.createDatabase();
  const proxy = await startLinkProxy(serverSocket(url));
  closing.push(() => proxy.close());
  const at = await startTestService({
    store: { url: proxy.urlOf(url) },
    engine: { runners: { DNS: target.runner }, graceMs: 1000 },
  });
  closing.push(() => at.close());
  return { at, proxy, url };
}

const readyOf = async (at: TestService) => send(at, 'GET /ready');
const body = { name: 'd', request: { query: 'example.com' }, heartbeat: {}, script: '' };

async function admin(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

const TERMINATE =
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';

describe('a service whose database fails', () => {
  test('keeps responding after each of its connections was ended during work', async () => {
    const { at, url } = await startBehindProxy();
    const check = await call(at, contract.createDnsCheck, { body });
    for (let round = 0; round < 5; round += 1) {
      const asked = Array.from({ length: 20 }, () =>
        send(at, 'POST /v2/check-sessions/trigger', { target: { checkId: [check.id] } }),
      );
      await admin(url, TERMINATE);
      for (const { status, headers } of await Promise.all(asked)) {
        expect([201, 503]).toContain(status);
        if (status === 201) expect(headers.get('retry-after')).toBeNull();
      }
    }
    await eventually(async () => expect((await readyOf(at)).status).toBe(200));
    await eventually(async () => {
      const { entries } = await call(at, contract.listCheckSessions, {
        query: { checkId: String(check.id) },
      });
      expect(entries.every(({ status }) => status === 'PASSED')).toBe(true);
    });
  });

  test.each<LinkFault>(['half-open', 'cut', 'reset'])(
    'says so at /ready while its link is %s, answers 503, and is ready again afterwards',
    async (fault) => {
      const { at, proxy } = await startBehindProxy();
      expect(await readyOf(at)).toMatchObject({ status: 200, body: { status: 'ready' } });
      await proxy.begin(fault);
      await eventually(async () =>
        expect(await readyOf(at)).toMatchObject({
          status: 503,
          body: { status: 'not ready', reason: expect.stringMatching(/^the database /) },
        }),
      );
      expect(await send(at, 'GET /health')).toMatchObject({ status: 200, body: { status: 'ok' } });
      const refused = await send(at, 'POST /v2/check-sessions/trigger', {});
      expect(refused).toMatchObject({
        status: 503,
        body: { message: expect.stringContaining('Nothing was stored') },
      });
      expect(refused.headers.get('retry-after')).toBe('1');
      await proxy.end();
      await eventually(async () => expect((await readyOf(at)).status).toBe(200));
      const check = await call(at, contract.createDnsCheck, { body });
      const { sessions } = await call(at, contract.triggerCheckSessions, {
        body: { target: { checkId: [String(check.id)] } },
      });
      const params = { checkSessionId: String(sessions[0]?.checkSessionId) };
      expect(await call(at, contract.awaitCheckSession, { params })).toMatchObject({ status: 'PASSED' });
    },
  );

  test('stores the result of a check that ends while the database is unavailable', async () => {
    const target = createTarget();
    target.hang();
    const { at, proxy } = await startBehindProxy(target);
    const check = await call(at, contract.createDnsCheck, { body });
    const { sessions } = await call(at, contract.triggerCheckSessions, {
      body: { target: { checkId: [String(check.id)] } },
    });
    await eventually(() => expect(target.hanging()).toBe(1));
    await proxy.begin('cut');
    target.letGo();
    await eventually(async () => expect((await readyOf(at)).status).toBe(503));
    await proxy.end();
    const params = { checkSessionId: String(sessions[0]?.checkSessionId) };
    expect(await call(at, contract.awaitCheckSession, { params })).toMatchObject({
      status: 'PASSED',
      results: [{ resultType: 'FINAL' }],
    });
    expect(target.attempts).toHaveLength(1);
  });

  test('stops within its grace period despite a half-open connection', async () => {
    const { at, proxy } = await startBehindProxy();
    await call(at, contract.createDnsCheck, { body });
    await proxy.begin('half-open');
    await eventually(async () => expect((await readyOf(at)).status).toBe(503));
    await at.service.stop();
  });

  test('reports that a start may have happened if its commit got no response', async () => {
    const { at, proxy } = await startBehindProxy();
    const check = await call(at, contract.createDnsCheck, { body });
    // The commit of the start reaches the server, but its response is lost.
    proxy.loseCommitAfter('insert into "check_sessions"');
    const asked = await send(at, 'POST /v2/check-sessions/trigger', { target: { checkId: [check.id] } });
    expect(asked).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('may have been stored') },
    });
    expect(asked.headers.get('retry-after')).toBeNull();
    const { entries } = await call(at, contract.listCheckSessions, { query: { checkId: String(check.id) } });
    expect(entries).toHaveLength(1);
  });

  test('does not claim that nothing was stored after a partial write', async () => {
    const { at } = await startBehindProxy();
    const check = await call(at, contract.createDnsCheck, { body });
    // One transaction changes the check, another its next run.
    vi.spyOn(at.service.engine, 'rescheduleChecks').mockRejectedValue(
      new DatabaseFault('the database cannot be reached', false, undefined),
    );
    const changed = { ...body, name: 'changed' };
    const answer = await send(at, `PUT /v1/checks/dns/${check.id}`, changed);
    expect(answer).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('may have been stored') },
    });
    expect(answer.headers.get('retry-after')).toBeNull();
    expect(await send(at, `GET /v1/checks/${check.id}`)).toMatchObject({ body: { name: 'changed' } });
  });

  test('is not ready on a read-only server', async () => {
    const { at, url } = await startBehindProxy();
    const database = new URL(url).pathname.slice(1);
    await admin(url, `alter database ${database} set default_transaction_read_only = on`);
    closing.push(() =>
      admin(
        url,
        'set default_transaction_read_only = off',
        `alter database ${database} reset default_transaction_read_only`,
      ),
    );
    await admin(url, TERMINATE);
    await eventually(async () =>
      expect((await readyOf(at)).body).toEqual({ status: 'not ready', reason: 'the database is read-only' }),
    );
    const refused = await send(at, 'POST /v1/snippets', { name: 'a', script: '' });
    expect(refused).toMatchObject({ status: 503 });
  });
});
