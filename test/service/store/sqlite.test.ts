/** Tests the store on SQLite: the contract, and behaviour of files. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CompiledQuery, sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { UsageError } from '../../../src/base/errors.ts';
import { engineStore } from '../../../src/service/store/engine/index.ts';
import { openStore } from '../../../src/service/store/index.ts';
import { MIGRATIONS } from '../../../src/service/store/migrations/index.ts';
import type { Migration } from '../../../src/service/store/migrations/migrate.ts';
import { storeContract } from './contract.ts';
import { testDependencies } from './harness.ts';
import { migrationContract } from './migrations.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sonde-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = () => path.join(folder, 'data', 'store.db');
const permissions = (of: string) => statSync(of).mode & 0o777;

describe('the store contract on SQLite', () => {
  const own = mkdtempSync(path.join(tmpdir(), 'sonde-store-'));
  afterAll(() => rmSync(own, { recursive: true, force: true }));
  storeContract((handed) => openStore({ path: path.join(own, 'store.db') }, handed));
});

describe('migrations on SQLite', () => {
  migrationContract(async () => ({ path: file() }));
});

describe('the store on SQLite', () => {
  test('is private to its owner', async () => {
    const store = await openStore({ path: file() }, testDependencies());
    await store.accounts.create('a');
    expect(permissions(path.dirname(file()))).toBe(0o700);
    expect(permissions(file())).toBe(0o600);
    expect(permissions(`${file()}-wal`)).toBe(0o600);
    await store.close();
    chmodSync(file(), 0o644);
    await (await openStore({ path: file() }, testDependencies())).close();
    expect(permissions(file())).toBe(0o600);
  });

  test('is durable, and enforces foreign keys', async () => {
    const store = await openStore({ path: file() }, testDependencies());
    const setting = async (name: string) =>
      Object.values(
        (await sql.raw<Record<string, unknown>>(`pragma ${name}`).execute(store.db)).rows[0] ?? {},
      );
    expect(await setting('journal_mode')).toEqual(['wal']);
    expect(await setting('synchronous')).toEqual([2]);
    expect(await setting('foreign_keys')).toEqual([1]);
    expect(await setting('locking_mode')).toEqual(['exclusive']);
    await store.close();
  });

  test('uses its partial indexes for the statements of the engine', async () => {
    const store = await openStore({ path: file() }, testDependencies());
    const usedFor = async (query: string) =>
      (await sql.raw<{ detail: string }>(`explain query plan ${query}`).execute(store.db)).rows
        .flatMap(({ detail }) => /INDEX (\w+)/.exec(detail)?.[1] ?? [])
        .join();
    const usedOf = (condition: string) => usedFor(`select * from check_sessions where ${condition}`);
    expect(await usedOf('test_session_id = ?')).toBe('check_sessions_by_test_session_id');
    expect(await usedOf('batch_id = ? and ends_by is not null order by batch_place')).toBe(
      'check_sessions_by_batch_id_batch_place',
    );
    expect(await usedOf('ends_by <= ? order by ends_by')).toBe('check_sessions_by_ends_by');
    expect(await usedOf('ends_by is not null order by ends_by')).toBe('check_sessions_by_ends_by');
    expect(await usedOf('stopped_at < ? order by stopped_at')).toBe('check_sessions_by_stopped_at');
    expect(await usedFor('select * from results where test_session_id in (?, ?)')).toBe(
      'results_by_test_session_id',
    );
    expect(await usedOf('check_id = ? and started_at >= ? and scheduled_at between ? and ?')).toBe(
      'check_sessions_by_check_id_started_at_id',
    );
    await store.close();
  });

  test.each([1, 100, 1000])(
    'goes from each of %i ticks into an index, never through a table',
    async (count) => {
      const store = await openStore({ path: file() }, testDependencies());
      const asked = vi.spyOn(store.db, 'executeQuery');
      const { schedule, sessions } = engineStore(store);
      const ticks = Array.from({ length: count }, (_, place) => ({
        id: `check-${place}`,
        from: place,
        to: 1,
      }));
      await schedule.advanceAll(ticks);
      await schedule.setFirstTicks(ticks);
      await sessions.ticksWithSession(ticks.map(({ id, from }) => ({ checkId: id, tick: from })));
      const statements = asked.mock.calls.map(([statement]) => statement as CompiledQuery);
      expect(statements).toHaveLength(3);
      for (const { sql: text, parameters } of statements) {
        const plan = await store.db.executeQuery<{ detail: string }>(
          CompiledQuery.raw(`explain query plan ${text}`, [...parameters]),
        );
        const steps = plan.rows.map(({ detail }) => detail);
        expect(steps.filter((step) => /^SCAN (checks|had|check_sessions)\b/.test(step))).toEqual([]);
        expect(steps.filter((step) => /^SEARCH (checks|had)\b/.test(step))).toHaveLength(1);
      }
      await store.close();
    },
  );

  test('rejects a second service until the first one closes it', async () => {
    const first = await openStore({ path: file() }, testDependencies());
    const { id } = await first.accounts.create('a');
    const second = openStore({ path: file() }, testDependencies());
    await expect(second).rejects.toThrow(UsageError);
    await expect(second).rejects.toThrow('is in use by another service');
    expect(await first.accounts.get(id)).toBeDefined();
    await first.close();
    const third = await openStore({ path: file() }, testDependencies());
    expect(await third.accounts.get(id)).toBeDefined();
    await third.close();
  });

  test('creates a complete backup while it is in use', async () => {
    const store = await openStore({ path: file() }, testDependencies());
    const { id } = await store.accounts.create('a');
    const copy = path.join(folder, 'copy.db');
    const late = store.transaction((tx) => tx.accounts.create('in a transaction when the copy is asked for'));
    await store.backup(copy);
    await late;
    const after = await store.accounts.create('after the copy');
    expect(permissions(copy)).toBe(0o600);
    const restored = await openStore({ path: copy }, testDependencies());
    expect(await restored.accounts.list()).toHaveLength(2);
    expect(await restored.accounts.get(id)).toBeDefined();
    expect(await restored.accounts.get(after.id)).toBeUndefined();
    await restored.close();
    await expect(store.backup(copy)).rejects.toThrow('already exists');
    await expect(store.backup(path.join(folder, 'nowhere', 'copy.db'))).rejects.toThrow('ENOENT');
    expect(readdirSync(folder).sort()).toEqual(['copy.db', 'data']);
    await store.close();
  });

  test('closes despite an unfinished statement', async () => {
    const store = await openStore({ path: file() }, testDependencies());
    await sql.raw('explain query plan select * from accounts').execute(store.db);
    await store.close();
  });

  test('reports a file that is not a store or cannot be written', async () => {
    mkdirSync(path.dirname(file()));
    writeFileSync(file(), 'a shopping list\n'.repeat(500));
    await expect(openStore({ path: file() }, testDependencies())).rejects.toThrow('is not a sonde database');
    await expect(openStore({ path: path.join(file(), 'store.db') }, testDependencies())).rejects.toThrow(
      'cannot be written',
    );
    await expect(openStore({ path: path.dirname(file()) }, testDependencies())).rejects.toThrow(UsageError);
  });
});

test('a migration without disk space fails with a hint', async () => {
  const filling: Migration = {
    name: '999-fills-the-disk',
    async up(db) {
      await sql`pragma max_page_count = 1`.execute(db);
      await sql`create table full_things as select zeroblob(1000000) as bytes`.execute(db);
    },
  };
  const refused: unknown = await openStore({ path: file() }, testDependencies(), [
    ...MIGRATIONS,
    filling,
  ]).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UsageError);
  expect(String(refused)).toContain('cannot be written: no space is left');
});
