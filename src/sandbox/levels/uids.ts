/** Allocates user IDs for runs from a block that this service locks while it runs. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launcherEnvironment } from '../environment.ts';
import { SandboxError } from '../errors.ts';
import { type Kill, killAll } from '../kill-all.ts';
import { listPids, readProcessStatus, readProcFile } from '../procfs.ts';

/** Range above the IDs of users, services, containers and subordinate IDs. */
const DEFAULT_RANGE = { first: 1_900_000_000, last: 1_900_004_095 };

/** IDs of one service, which limits its open cells. */
const BLOCK_SIZE = 256;

/** Folder of the locks that services of one machine share. */
const LOCK_FOLDER = '/run/sonde';

export interface UidPool {
  /** Returns an unused ID. Throws SandboxError if all are in use. */
  acquire(): { readonly uid: number; readonly release: () => Promise<void> };
  close(): Promise<void>;
}

interface UidPoolOptions {
  readonly range: { readonly first: number; readonly last: number } | undefined;
  readonly kill: Kill;
}

/** Returns the processes of matching users. */
export const listPidsOfUsers = (matches: (uid: number) => boolean): number[] =>
  listPids().filter((pid) => readProcessStatus(pid)?.uids.some(matches));

/**
 * Kills all processes of matching users. A program of each user kills all of its processes at once, because not every
 * root may signal other users.
 */
export function killUsers(matches: (uid: number) => boolean, kill: Kill): Promise<void> {
  const listUserPids = (): number[] => listPidsOfUsers(matches);
  const sweep = async (): Promise<void> => {
    const users = new Set(
      listUserPids().flatMap((pid) => readProcessStatus(pid)?.uids.filter(matches) ?? []),
    );
    await Promise.all(
      [...users].map((uid) => runSilently([...asUserPrefix(uid), '/bin/sh', '-c', 'kill -KILL -1'])),
    );
  };
  return killAll(listUserPids, kill, sweep);
}

/** Returns the command prefix that switches to a user without any rights or a way to gain them. */
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

/** Runs a program without output. Resolves with whether it succeeded. */
export async function runSilently(argv: readonly string[]): Promise<boolean> {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { cwd: '/', env: launcherEnvironment('tidy'), stdio: 'ignore' });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
}

/** Holds a lock until this process ends; undefined if another process holds it. */
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
    // Keep this process alive until the lock is free. Otherwise Node could exit first.
    holder.ref();
    holder.stdin.destroy();
    await ended;
  };
}

/** Locks the first free block, and ends processes of a killed service with its IDs. */
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
