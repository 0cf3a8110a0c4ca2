/** A cell with a root file system, processes and IPC of its own: a first process holds them, and all end with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { rmdir, statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { launcherEnvironment } from '../environment.ts';
import { SandboxError } from '../errors.ts';
import { createMeter } from '../meter.ts';
import { pidsOf } from '../procfs.ts';
import type { CellPlan, Enclosure } from '../types.ts';

/** The private folder as programs in a cell see it. */
const FOLDER = '/cell';

/** What programs need of the system, where it has it; links stay links. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix'];

/** How long a cell may take to be made, and to end by itself, in ms. */
const MAKING_MS = 20_000;
const ENDING_MS = 5000;

/**
 * Run by the first process of new namespaces: builds a root in which there is what was named and nothing else, and moves
 * there. One sized file system holds all that can be written. The process then waits for its input to end: with it, or
 * with the service, everything here ends. Processes that nobody else waits for it waits for, so that their time is counted.
 */
const MAKE_ROOT = `
set -eu
root=$1 size=$2 owner=$3 network=$4; shift 4
if [ "$network" = none ]; then
  ip link set lo up || ifconfig lo up || busybox ip link set lo up || { echo 'no loopback without ip (iproute2)' >&2; exit 1; }
fi
mount -t tmpfs -o size=1m,nr_inodes=8k,mode=0755,nosuid,nodev root "$root"
cd "$root"
mkdir proc dev dev/shm cell tmp var var/tmp old writable
mount -t proc -o nosuid,nodev,noexec proc proc
mount -t tmpfs -o "size=$size,nr_inodes=64k,mode=0755,nosuid,nodev" writable writable
mkdir -m 0700 writable/cell
mkdir -m 1777 writable/tmp writable/shm
chown "$owner" writable/cell
mount --bind writable/cell cell
mount --bind writable/tmp tmp
mount --bind writable/tmp var/tmp
mount --bind writable/shm dev/shm
umount writable
rmdir writable
for device in null zero full random urandom; do
  : > "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
show() {
  if [ -d "$1" ]; then mkdir -p ".$1"; else mkdir -p ".\${1%/*}"; [ -e ".$1" ] || : > ".$1"; fi
  mount --rbind "$1" ".$1"
  mount -o remount,bind,ro,nosuid ".$1" 2>/dev/null || mount -o remount,bind,ro,nosuid,nodev ".$1"
}
while [ "$1" != -- ]; do
  if [ -L "$1" ]; then ln -s "$(readlink "$1")" ".$1"; elif [ -e "$1" ]; then show "$1"; fi
  shift
done
shift
while [ "$1" != -- ]; do show "$1"; shift; done
shift
hide() {
  if [ -d ".$1" ]; then mount -t tmpfs -o size=64k,mode=0755,nosuid,nodev hidden ".$1"
  elif [ -e ".$1" ]; then mount --bind /dev/null ".$1"; fi
}
hidden=0
for path do
  shift
  [ "$path" != -- ] || break
  # What is not there needs no hiding; what is shown in it may make it later.
  [ -e ".$path" ] || continue
  hide "$path"
  hidden=$((hidden + 1))
  set -- "$@" "$path"
done
while [ $# -gt "$hidden" ]; do show "$1"; shift; done
for path do [ ! -d ".$path" ] || mount -o remount,ro ".$path"; done
pivot_root . old
cd /
umount -l /old
rmdir /old
mount -o remount,bind,ro /
exec 3<&0
cat <&3 >/dev/null &
echo "ready $!"
# What runs here under the same user can kill that: then another takes its place.
until wait $!; do cat <&3 >/dev/null & done
`;

const isIn = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

/** Paths as they are named and as they are reached, those above first; none that does not exist. */
function places(paths: readonly string[]): string[] {
  const found = paths.flatMap((path) => {
    try {
      return [path, realpathSync(path)];
    } catch {
      return [];
    }
  });
  return [...new Set(found)].sort();
}

/** None that lies in another. */
const topmost = (paths: readonly string[]): string[] =>
  paths.filter((path, at) => !isIn(path, paths.slice(0, at)));

/** What the name service needs where /etc only leads to it. */
const RESOLVERS = ['/etc/resolv.conf', '/etc/hosts', '/etc/localtime'];

/** Once a process has ended, or could not be started. */
const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });

export interface OwnRootOptions {
  /** Words that start the first process in new namespaces. */
  readonly create: readonly string[];
  /** Words that enter the namespaces (`nsenter` with its options comes before them), and that lay down what rights are left. */
  readonly nsenter: readonly string[];
  readonly drop: readonly string[];
  /** Whose the folder is, as the first process sees it. */
  readonly owner: number;
  readonly readable: readonly string[];
  readonly hidden: readonly string[];
  /** `none`: `create` makes a network of its own. */
  readonly network: 'machine' | 'none';
  readonly onEnded?: () => Promise<void>;
}

export async function encloseInOwnRoot(plan: CellPlan, options: OwnRootOptions): Promise<Enclosure> {
  const { limits, folder } = plan;
  const { create, nsenter, drop, owner, readable, hidden, network, onEnded } = options;
  const secret = topmost(places(hidden));
  const wanted = places([...readable, ...plan.readable, ...RESOLVERS]);
  const shown = topmost(wanted.filter((path) => !isIn(path, secret) && !isIn(path, places(SYSTEM))));
  const shownOfSecret = topmost(wanted.filter((path) => isIn(path, secret) && !secret.includes(path)));
  const words = [
    ...create,
    '/bin/sh',
    '-c',
    MAKE_ROOT,
    'sh',
    folder,
    String(limits.diskBytes),
    String(owner),
    network,
  ];
  const [program = '', ...args] = [
    ...[...words, ...SYSTEM, '--', ...shown, '--'],
    ...[...secret, '--', ...shownOfSecret],
  ];
  const keeper = spawn(program, args, {
    cwd: '/',
    env: launcherEnvironment(plan.id),
    stdio: 'pipe',
    detached: true,
  });
  keeper.stdin.on('error', () => {});
  const gone = ended(keeper);
  /** What leads programs into the cell stands outside of it. */
  const leading = new Map<ChildProcess, Promise<void>>();

  async function destroy(): Promise<void> {
    keeper.stdin.destroy();
    // Who led in a program that stopped has stopped as well: all in there would wait for it to look, and it would stay.
    for (const program of leading.keys()) program.kill('SIGKILL');
    const slow = new AbortController();
    const patience = delay(ENDING_MS, undefined, { signal: slow.signal }).then(
      () => keeper.kill('SIGKILL'),
      () => {},
    );
    await gone;
    slow.abort();
    await patience;
    await Promise.all(leading.values());
    await rmdir(folder);
    await onEnded?.();
  }

  /** The process in there that reads the input. */
  let waiter: number;
  try {
    waiter = await ready();
  } catch (error) {
    await destroy();
    throw error;
  }
  const meter = createMeter();
  const at = `/proc/${keeper.pid}`;
  const inside = ['pid_for_children', 'mnt', 'ipc', 'user', 'net'].map((name) => `${at}/ns/${name}`);
  const [pid, mount, ipc, user, net] = inside;
  const enterWords = [
    ...['nsenter', `--pid=${pid}`, `--mount=${mount}`, `--ipc=${ipc}`],
    ...nsenter.map((word) => (word === '--user' ? `--user=${user}` : word)),
    ...(network === 'none' ? [`--net=${net}`] : []),
    ...['--', ...drop],
  ];
  return {
    folder: FOLDER,
    outside: `${at}/root${FOLDER}`,
    startIn: '/',
    enter: (argv) => [...enterWords, ...argv] as unknown as readonly [string, ...string[]],
    started(program) {
      leading.set(
        program,
        ended(program).then(() => void leading.delete(program)),
      );
    },
    async usage() {
      const proc = `${at}/root/proc`;
      const used = meter.read(
        pidsOf(proc).filter((one) => one !== waiter),
        limits.memoryBytes,
        proc,
      );
      const disk = await statfs(`${at}/root${FOLDER}`).catch(() => undefined);
      const heldBytes = disk ? (disk.blocks - disk.bfree) * disk.bsize : 0;
      // What is written here is held in memory; and what is mapped of it is not held twice.
      const memoryBytes = used.memoryBytes - used.sharedBytes + Math.max(used.sharedBytes, heldBytes);
      // The file system itself keeps the bound, rounded up to a page: full, it is not too full.
      const diskBytes = Math.min(heldBytes, limits.diskBytes);
      return { ...used, threads: used.threads - 1, memoryBytes, diskBytes };
    },
    destroy,
  };

  function ready(): Promise<number> {
    return new Promise((resolve, reject) => {
      let said = '';
      const fail = (why: string): void => reject(new SandboxError(`a cell cannot be made: ${why}`));
      const timer = setTimeout(() => fail(`it takes longer than ${MAKING_MS / 1000} s`), MAKING_MS);
      keeper.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = `${said}${text}`.slice(-500);
      });
      keeper.stdout.once('data', (word: Buffer) => {
        clearTimeout(timer);
        resolve(Number(/\d+/.exec(word.toString())?.[0]));
      });
      keeper.once('error', (error) => {
        clearTimeout(timer);
        fail(error.message);
      });
      keeper.once('close', () => {
        clearTimeout(timer);
        fail(said.trim().split('\n').join('; ') || 'its first process ended');
      });
    });
  }
}
