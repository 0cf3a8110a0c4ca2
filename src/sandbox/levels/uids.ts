/** Allocates user IDs for runs from a block that this service locks while it runs. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Kill, killAll } from '../cell/kill-all.ts';
import { launcherEnvironment } from '../cell/launch.ts';
import { listPids, readProcessStatus, readProcFile } from '../cell/procfs.ts';
import { SandboxError, type SandboxOptions } from '../cell/sandbox.ts';

/** Range above the IDs of users, services, containers and subordinate IDs. */
const DEFAULT_RANGE = { first: 1_900_000_000, last: 1_900_004_095 };

const BLOCK_SIZE = 256;

/** Folder of the locks that services of one machine share. */
const LOCK_FOLDER = '/run/sonde';

export const listPidsOfUsers = (matches: (uid: number) => boolean): number[] =>
  listPids().filter((pid) => readProcessStatus(pid)?.uids.some(matches));

/** Kills all processes of matching users. Not every root may signal other users, so each kills its own. */
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
  ...['setpriv', `--reuid=${uid}`, `--regid=${uid}`],
  ...['--clear-groups', '--no-new-privs', '--inh-caps=-all', '--'],
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

async function lock(path: string): Promise<(() => Promise<void>) | undefined> {
  const args = ['--nonblock', path, '/bin/sh', '-c', 'echo locked; exec cat >/dev/null'];
  const holder = spawn('flock', args, {
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
export async function openUidPool({ uids: range = DEFAULT_RANGE, self: { kill } }: SandboxOptions) {
  mkdirSync(LOCK_FOLDER, { mode: 0o700, recursive: true });
  const existingUids = new Set(
    (readProcFile('/etc/passwd') ?? '').split('\n').map((line) => Number(line.split(':')[2])),
  );
  for (let first = range.first; first <= range.last; first += BLOCK_SIZE) {
    const unlock = await lock(join(LOCK_FOLDER, `uids-${first}.lock`));
    if (!unlock) continue;
    const last = Math.min(first + BLOCK_SIZE - 1, range.last);
    await killUsers((uid) => uid >= first && uid <= last, kill);
    const free = Array.from({ length: last - first + 1 }, (_, at) => first + at).filter(
      (uid) => !existingUids.has(uid),
    );
    const canConfine = free[0] !== undefined && (await canConfineUser(free[0]));
    return {
      acquire() {
        const uid = free.shift();
        if (uid === undefined) throw new SandboxError(`all user IDs from ${first} to ${last} are in use`);
        let releasing: Promise<void> | undefined;
        /** Returns the ID once, because two runs must never share it. */
        const release = (): Promise<void> => {
          releasing ??= killUsers((one) => one === uid, kill).then(() => void free.push(uid));
          return releasing;
        };
        return { uid, release };
      },
      /** Returns the command prefix that confines a program, if this machine allows it. */
      confinementPrefix: (uid: number) => (canConfine ? confinementPrefix(uid) : []),
      close: unlock,
    };
  }
  throw new SandboxError(
    `all user IDs from ${range.first} to ${range.last} are used by other services of this machine: stop one, or choose another level with --isolation`,
  );
}

/*
 * The namespaces of scripts are limited to those that Chromium's own sandbox needs. In others, memory would escape
 * measurement.
 */

/** Kernel limits of a user namespace. A script with its own mounts could keep unmeasured files in memory. */
const NAMESPACE_LIMITS = [
  ...['mnt', 'ipc', 'uts', 'cgroup', 'time'].map((kind) => `user/max_${kind}_namespaces=0`),
  ...['user', 'pid', 'net'].map((kind) => `user/max_${kind}_namespaces=64`),
];

/** Resources that the service's user has few of, so that a script under the same user cannot exhaust them. */
export const SAME_USER_LIMITS = [
  ...NAMESPACE_LIMITS,
  'user/max_inotify_instances=32',
  'user/max_inotify_watches=16384',
  'user/max_fanotify_groups=8',
];

const CONFINE = `
while [ "$1" != -- ]; do { echo "\${1#*=}" >"/proc/sys/\${1%%=*}"; } 2>/dev/null || :; shift; done
shift
exec "$@"`;

/**
 * Returns the command prefix that starts a program in a user namespace with these limits and without rights over it.
 * The user must be allowed to create user namespaces; other users need no limits.
 */
const confinementPrefix = (uid: number): readonly string[] => [
  ...['unshare', '--user', `--map-user=${uid}`, `--map-group=${uid}`, '--keep-caps', '--'],
  ...['/bin/sh', '-c', CONFINE, 'sh', ...NAMESPACE_LIMITS, '--'],
  ...['setpriv', '--no-new-privs', '--ambient-caps=-all', '--inh-caps=-all', '--bounding-set=-all', '--'],
];

const canConfineUser = (uid: number): Promise<boolean> =>
  runSilently([
    ...[...asUserPrefix(uid), ...confinementPrefix(uid)],
    ...['/bin/sh', '-c', '[ "$(cat /proc/sys/user/max_mnt_namespaces)" = 0 ]'],
  ]);
