/** A private PostgreSQL server for tests: a cluster of its own in a temporary folder, reached by a Unix socket only. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import pg from 'pg';
import { describe } from 'vitest';

const run = promisify(execFile);

export interface PostgresServer {
  /** Makes an empty place for a store and tells its URL. */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
}

/** The folder with `initdb` and `postgres`; the newest version where several are installed. */
function findBinaries(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => path.join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(path.delimiter),
  ];
  return folders.find((folder) =>
    ['initdb', 'postgres'].every((name) => folder !== '' && existsSync(path.join(folder, name))),
  );
}

/** Postgres refuses to run as root: then another user does, the package's own or nobody. */
function otherUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const number = (...args: string[]) =>
    Number(execFileSync('id', args, { stdio: ['ignore', 'pipe', 'ignore'] }));
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: number('-u', name), gid: number('-g', name) };
    } catch {
      // No such user: the next.
    }
  }
  throw new Error('PostgreSQL cannot run as root, and there is neither a user postgres nor nobody');
}

/** Resolves when the server says that it is ready; rejects with what it said when it ends before. */
function ready(server: ChildProcess): Promise<void> {
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    if (server.stderr === null) return reject(new Error('the server has no stderr'));
    createInterface({ input: server.stderr }).on('line', (line) => {
      said.push(line);
      if (line.includes('database system is ready to accept connections')) resolve();
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${said.join('\n')}`)));
  });
}

/** Starts a server. Its texts are ordered by language, so that a test sees where byte order was forgotten. */
export async function startPostgres(): Promise<PostgresServer> {
  const binaries = findBinaries();
  if (binaries === undefined) throw new Error('PostgreSQL is not installed');
  const user = otherUser();
  const folder = mkdtempSync(path.join(tmpdir(), 'sonde-pg-'));
  if (user) chownSync(folder, user.uid, user.gid);
  const data = path.join(folder, 'data');
  const options = { ...user, cwd: folder, env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' } };
  const common = ['-D', data, '-U', 'sonde', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
  const initdb = path.join(binaries, 'initdb');
  try {
    await run(initdb, [...common, '--locale-provider=icu', '--icu-locale=en-US'], options);
  } catch {
    rmSync(data, { recursive: true, force: true });
    await run(initdb, common, options);
  }
  const settings = ['listen_addresses=', 'fsync=off', 'log_min_messages=log'].flatMap((one) => ['-c', one]);
  const server = spawn(path.join(binaries, 'postgres'), ['-D', data, '-k', folder, ...settings], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  await ready(server);
  const url = `postgres://sonde@localhost/postgres?host=${encodeURIComponent(folder)}`;
  return {
    // A schema that is all a connection sees: a database of its own would cost a hundred times as much.
    async createDatabase() {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(`create schema ${name}`);
      await client.end();
      return `${url}&options=${encodeURIComponent(`-c search_path=${name}`)}`;
    },
    async stop() {
      // At once and without tidying up: nothing of it is kept.
      server.kill('SIGQUIT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Tests that need PostgreSQL; they start it in a hook of theirs. Skipped under a name that says why where it isn't
 * installed, and failing where SONDE_TEST_FORBID_SKIPS=1.
 */
export function describeWithPostgres(name: string, body: () => void): void {
  if (findBinaries() !== undefined) return void describe(name, body);
  const reason = 'PostgreSQL is not installed (initdb and postgres in PATH or /usr/lib/postgresql)';
  if (process.env.SONDE_TEST_FORBID_SKIPS === '1') throw new Error(reason);
  describe.skip(`${name} (${reason})`, body);
}
