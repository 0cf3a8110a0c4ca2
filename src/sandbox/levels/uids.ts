/** User ids for runs: a block of a range that this service alone holds, while it lives. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launcherEnvironment } from '../environment.ts';
import { SandboxError } from '../errors.ts';
import { type Kill, killAll } from '../kill-all.ts';
import { listPids, readProcessStatus, readProcFile } from '../procfs.ts';

/** Beyond what systems give to users, services, containers and subordinate ids. */
const DEFAULT_RANGE = { first: 1_900_000_000, last: 1_900_004_095 };

/** How many one service takes: as many cells can be open at once. */
const BLOCK_SIZE = 256;

/** Where services of one machine see which blocks are taken. */
const LOCK_FOLDER = '/run/sonde';

export interface UidPool {
  /** One that no process has. Throws SandboxError where all are in use. */
  acquire(): { readonly uid: number; readonly release: () => Promise<void> };
  close(): Promise<void>;
}

interface UidPoolOptions {
  readonly range: { readonly first: number; readonly last: number } | undefined;
  readonly kill: Kill;
}

/** Processes of users that are as asked for. */
export const listPidsOfUsers = (matches: (uid: number) => boolean): number[] =>
  listPids().filter((pid) => readProcessStatus(pid)?.uids.some(matches));

/**
 * Kills all processes of users that are as asked for. Each user's are killed at once, and by a program of that user: not
 * every root may signal others.
 */
export function killUsers(matches: (uid: number) => boolean, kill: Kill): Promise<void> {
  const find = (): number[] => listPidsOfUsers(matches);
  const sweep = async (): Promise<void> => {
    const users = new Set(find().flatMap((pid) => readProcessStatus(pid)?.uids.filter(matches) ?? []));
    await Promise.all(
      [...users].map((uid) => runSilently([...asUserPrefix(uid), '/bin/sh', '-c', 'kill -KILL -1'])),
    );
  };
  return killAll(find, kill, sweep);
}

/** The words before a program's own by which it becomes that user's, without a right and a way to gain any. */
export const asUserPrefix = (uid: number): readonly string[] => [
  ...[
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${uid}`,
    '--clear-groups',
    '--no-new-privs',
    '--inh-caps=-all',
    '--',
  ],
];

/** Runs a program to its end; what it says is not heard. Resolves with whether all went well. */
export async function runSilently(argv: readonly string[]): Promise<boolean> {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { cwd: '/', env: launcherEnvironment('tidy'), stdio: 'ignore' });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
}

/** Holds a lock until its input ends, which is when this process does; undefined where another holds it. */
async function lock(path: string): Promise<(() => Promise<void>) | undefined> {
  const [program, ...args] = [
    'flock',
    '--nonblock',
    path,
    '/bin/sh',
    '-c',
    'echo locked; exec cat >/dev/null',
  ] as const;
  const holder = spawn(program, args, {
    env: launcherEnvironment('lock'),
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  holder.stdin.on('error', () => {});
  const ended = new Promise<void>((resolve) => holder.once('exit', () => resolve()));
  const isOurs = await new Promise<boolean>((resolve, reject) => {
    holder.stdout.once('data', () => resolve(true));
    holder.once('close', () => resolve(false));
    holder.once('error', (error) => reject(new SandboxError(`flock cannot be run: ${error.message}`)));
  });
  if (!isOurs) return undefined;
  holder.unref();
  return async () => {
    // Waited for, it must keep this process: with nothing else to do, Node would end before the lock is free.
    holder.ref();
    holder.stdin.destroy();
    await ended;
  };
}

/** Takes the first block that is free, and ends what a service that was killed left running there. */
export async function openUidPool({ range = DEFAULT_RANGE, kill }: UidPoolOptions): Promise<UidPool> {
  mkdirSync(LOCK_FOLDER, { mode: 0o700, recursive: true });
  const existingUids = new Set(
    (readProcFile('/etc/passwd') ?? '').split('\n').map((line) => Number(line.split(':')[2])),
  );
  for (let first = range.first; first <= range.last; first += BLOCK_SIZE) {
    const unlock = await lock(join(LOCK_FOLDER, `uids-${first}.lock`));
    if (!unlock) continue;
    const last = Math.min(first + BLOCK_SIZE - 1, range.last);
    await killUsers((uid) => uid >= first && uid <= last, kill);
    return createPool(first, last, unlock);
  }
  throw new SandboxError(
    `all user IDs from ${range.first} to ${range.last} are used by other services of this machine`,
  );

  function createPool(first: number, last: number, unlock: () => Promise<void>): UidPool {
    const free = Array.from({ length: last - first + 1 }, (_, at) => first + at).filter(
      (uid) => !existingUids.has(uid),
    );
    return {
      acquire() {
        const uid = free.shift();
        if (uid === undefined) throw new SandboxError(`all user IDs from ${first} to ${last} are in use`);
        return {
          uid,
          async release() {
            await killUsers((one) => one === uid, kill);
            free.push(uid);
          },
        };
      },
      close: unlock,
    };
  }
}
