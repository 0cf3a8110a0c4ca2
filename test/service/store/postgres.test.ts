/** Tests the store on Postgres: the contract, and behaviour of servers. */
import { EventEmitter, once } from 'node:events';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { NetworkError, UsageError } from '../../../src/base/errors.ts';
import { enqueue } from '../../../src/service/notify/facts/message.ts';
import { openStore } from '../../../src/service/store/index.ts';
import { eventually } from '../../support/eventually.ts';
import { openPostgres, type Postgres } from '../../support/postgres.ts';
import { storeContract } from './contract.ts';
import { testDependencies } from './harness.ts';
import { migrationContract } from './migrations.ts';

describe('the store on Postgres', () => {
  let started: Postgres | undefined;
  beforeAll(async () => {
    started = await openPostgres();
  });
  const server = (): Postgres => {
    if (started === undefined) throw new Error('the server has not started');
    return started;
  };

  describe('implements the store contract', () => {
    storeContract(async (handed) => openStore({ url: await server().createDatabase() }, handed));
  });
  migrationContract(async () => ({ url: await server().createDatabase() }));

  test('is migrated once if two services start at the same time', async () => {
    const url = await server().createDatabase();
    const both = await Promise.all([1, 2].map(() => openStore({ url }, testDependencies())));
    for (const store of both) expect(await store.accounts.list()).toEqual([]);
    for (const store of both) await store.close();
  });

  test('rejects a key that another service has revoked', async () => {
    const url = await server().createDatabase();
    const [one, other] = await Promise.all([1, 2].map(() => openStore({ url }, testDependencies())));
    if (one === undefined || other === undefined) throw new Error('no stores');
    const account = await one.accounts.create('both');
    const { key, secret } = await one.keys.create(account.id, 'first');
    expect(await one.keys.authenticate(secret)).toMatchObject({ id: key.id });
    expect(await other.keys.delete(account.id, key.id)).toBe(true);
    expect(await one.keys.authenticate(secret)).toBeUndefined();
    for (const store of [one, other]) await store.close();
  });

  test('names the unreachable server, never the password', async () => {
    const url = 'postgres://me:hunter2@127.0.0.1:1/monitoring';
    const refused: unknown = await openStore({ url }, testDependencies()).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NetworkError);
    expect(String(refused)).toContain('127.0.0.1:1/monitoring');
    expect(String(refused)).not.toContain('hunter2');
  });

  test.each(['foo', 'mysql://me:hunter2@127.0.0.1/x'])(
    'refuses %s, which is no address of Postgres',
    async (url) => {
      const refused: unknown = await openStore({ url }, testDependencies()).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(UsageError);
      expect(String(refused)).toContain('must start with postgres://');
      expect(String(refused)).not.toContain('hunter2');
    },
  );

  test('does not lose concurrent changes', async () => {
    const url = await server().createDatabase();
    const store = await openStore({ url }, testDependencies());
    const watching = new pg.Client({ connectionString: url });
    await watching.connect();
    const { id: mine } = await store.accounts.create('mine');
    const { id } = await store.snippets.create(mine, { name: 'a', script: '' });
    const adding = (text: string) => (body: { readonly name: string; readonly script: string }) => ({
      ...body,
      script: body.script + text,
    });
    const whileHeld = new EventEmitter();
    const [changed, goOn] = [once(whileHeld, 'changed'), once(whileHeld, 'go on')];
    const first = store.transaction(async (tx) => {
      await tx.snippets.change(mine, id, adding('one '));
      whileHeld.emit('changed');
      await goOn;
    });
    await changed;
    const second = store.transaction((tx) => tx.snippets.change(mine, id, adding('two ')), {
      isolation: 'read committed',
    });
    const waiting = async () =>
      (
        await watching.query(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
      ).rowCount ?? 0;
    await eventually(async () => expect(await waiting()).toBe(1));
    whileHeld.emit('go on');
    await Promise.all([first, second]);
    expect((await store.snippets.get(mine, id))?.body.script).toBe('one two ');
    await watching.end();
    await store.close();
  });

  test('sends a message of a lane that was written while the previous one ended', async () => {
    const url = await server().createDatabase();
    const store = await openStore({ url }, testDependencies());
    const { id: accountId } = await store.accounts.create('mine');
    const message = { kind: 'webhook', url: 'http://one.example/', body: '{}' } as const;
    const outgoing = (key: string) => ({ accountId, key, message, lane: 'x' });
    await store.transaction((tx) => enqueue(tx, outgoing('first')));
    const now = store.clock.now();
    const claim = { sender: 'one', now, leaseUntil: now, perDestination: 4, inFlight: [], limit: 9 };
    const [first] = await store.outbox.claim(claim);
    const whileOpen = new EventEmitter();
    const [written, goOn] = [once(whileOpen, 'written'), once(whileOpen, 'go on')];
    const writing = store.transaction(
      async (tx) => {
        await enqueue(tx, outgoing('second'));
        whileOpen.emit('written');
        await goOn;
      },
      { isolation: 'read committed' },
    );
    await written;
    const ending = store.outbox.markSent(first?.id ?? -1, 'one');
    const watching = new pg.Client({ connectionString: url });
    await watching.connect();
    await eventually(async () => {
      const waiting = await watching.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      expect(waiting.rowCount).toBe(1);
    });
    whileOpen.emit('go on');
    await Promise.all([writing, ending]);
    const next = await store.outbox.claim(claim);
    expect(next.map((one) => one.idempotency_key)).toEqual(['second']);
    await watching.end();
    await store.close();
  });

  test('leases different messages to concurrent senders', async () => {
    const store = await openStore({ url: await server().createDatabase() }, testDependencies());
    const { id: accountId } = await store.accounts.create('mine');
    const message = { kind: 'webhook', url: 'http://one.example/', body: '{}' } as const;
    await store.transaction(async (tx) => {
      for (let n = 0; n < 12; n += 1) await enqueue(tx, { accountId, key: `${n}`, message });
    });
    const now = store.clock.now();
    const claims = await Promise.all(
      ['a', 'b', 'c'].map((sender) =>
        store.outbox.claim({
          ...{ sender, now, leaseUntil: now, perDestination: 4, inFlight: [], limit: 9 },
        }),
      ),
    );
    const claimed = claims.flat();
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(claimed.length);
    expect(claims.every(({ length }) => length <= 4)).toBe(true);
    await store.close();
  });

  test('rejects backups, which Postgres has tools for', async () => {
    const store = await openStore({ url: await server().createDatabase() }, testDependencies());
    await expect(store.backup('/nowhere/copy.db')).rejects.toMatchObject({
      hint: 'use pg_dump and pg_restore',
    });
    await store.close();
  });

  test('reconnects after the server ended its connections', async () => {
    const url = await server().createDatabase();
    const warnings: string[] = [];
    const losses = new EventEmitter();
    const ended = once(losses, 'ended');
    const onWarn = (message: string) => {
      warnings.push(message);
      losses.emit('ended');
    };
    const store = await openStore({ url }, { ...testDependencies(), onWarn });
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await admin.end();
    await ended;
    expect(warnings[0]).toContain('ended a connection');
    expect(await store.accounts.list()).toEqual([]);
    await store.close();
  });
});
