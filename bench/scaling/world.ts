/** The surroundings of a measurement of scaling: a name server, a Postgres that counts statements, and services over one database of it. */
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { systemClock } from '../../src/base/clock.ts';
import { systemRandom } from '../../src/base/random.ts';
import { openStore } from '../../src/service/store/index.ts';
import { bareEnv } from '../../test/support/binary.ts';
import { startPostgres, stopPostgres } from '../../test/support/postgres-server.ts';
import { dnsCheck, type Schedule } from '../engine/kinds.ts';
import { startNames } from '../engine/targets.ts';
import { type BenchService, startService } from '../engine/world.ts';
import { processorSeconds } from '../gate/process.ts';

/** The counters of Postgres since its start. */
export interface Work {
  readonly statements: number;
  readonly walBytes: number;
  readonly deadlocks: number;
  /** Seconds on the processor of all its processes that live. */
  readonly cpu: number;
}

export interface Cluster {
  readonly services: readonly BenchService[];
  work(): Promise<Work>;
  /** Sessions that have ended, of all services. */
  ended(): Promise<number>;
  /** Seconds on the processor of all services. */
  cpu(): number;
  stop(): Promise<void>;
}

export interface ScalingWorld {
  /** Starts services over a new database with checks of this schedule, the nth with its tick. */
  start(services: number, checks: number, schedule: Schedule, tick: number | null): Promise<Cluster>;
}

/** The process and its children. */
function familyOf(pid: number): number[] {
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const [, parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      return Number(parent) === pid;
    } catch {
      return false;
    }
  });
  return [pid, ...children.map(Number)];
}

const WORK = `select (select coalesce(sum(calls), 0) from pg_stat_statements where dbid =
    (select oid from pg_database where datname = current_database()))::float8 as statements,
  (pg_current_wal_lsn() - '0/0')::float8 as "walBytes",
  (select deadlocks from pg_stat_database where datname = current_database())::float8 as deadlocks`;

export async function openWorld(): Promise<{ world: ScalingWorld; close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-bench-scaling-'));
  // The server runs as another user where this runs as root.
  await chmod(folder, 0o755);
  const names = await startNames();
  const settings = ['shared_preload_libraries=pg_stat_statements', 'max_connections=100', 'fsync=on'];
  const server = await startPostgres(folder, settings);
  let count = 0;

  const world: ScalingWorld = {
    async start(services, checks, schedule, tick) {
      count += 1;
      const name = `scaling_${count}`;
      const admin = new pg.Client({ connectionString: server.url });
      await admin.connect();
      await admin.query(`create database ${name}`);
      await admin.end();
      const url = server.url.replace('/postgres?', `/${name}?`);
      const own = new pg.Client({ connectionString: url });
      await own.connect();
      await own.query('create extension pg_stat_statements');
      const store = await openStore({ url }, { clock: systemClock, random: systemRandom });
      const key = await store.transaction(async (tx) => {
        const account = await tx.accounts.create('bench');
        for (let place = 0; place < checks; place += 1)
          await tx.checks.create(account.id, dnsCheck(names, schedule), { nextRunAt: tick });
        return (await tx.keys.create(account.id, 'bench')).secret;
      });
      await store.close();
      const running = await Promise.all(
        Array.from({ length: services }, async (_, place) => {
          const [home, data] = [join(folder, `${name}-home-${place}`), join(folder, `${name}-data-${place}`)];
          await mkdir(home);
          await mkdir(data, { mode: 0o700 });
          return startService(bareEnv(home, { SONDE_DATABASE_URL: url }), data, key);
        }),
      );
      return {
        services: running,
        async work() {
          const { rows } = await own.query<Omit<Work, 'cpu'>>(WORK);
          const [row] = rows;
          if (row === undefined) throw new Error('Postgres tells nothing of its work');
          const cpu = familyOf(server.pid).reduce((sum, pid) => sum + (processorSeconds(pid) ?? 0), 0);
          return { ...row, cpu };
        },
        async ended() {
          const counted = await own.query<{ count: number }>(
            'select count(*)::int from check_sessions where stopped_at is not null',
          );
          return counted.rows[0]?.count ?? 0;
        },
        cpu: () => running.reduce((sum, service) => sum + service.cpu(), 0),
        async stop() {
          await Promise.all(running.map((service) => service.stop()));
          await own.end();
        },
      };
    },
  };
  return {
    world,
    async close() {
      await stopPostgres(server.pid);
      await names.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
