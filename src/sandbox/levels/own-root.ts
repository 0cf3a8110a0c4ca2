/** A cell with a root file system, processes and IPC of its own: a first process holds them, and all end with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { realpath, rmdir, statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { launcherEnvironment } from '../environment.ts';
import { SandboxError } from '../errors.ts';
import { createMeter } from '../meter.ts';
import { pidsOf } from '../procfs.ts';
import type { CellPlan, Enclosure } from '../types.ts';
import { planRoot, type Wanted } from './root-plan.ts';
import { rootScript } from './root-script.ts';

/** The private folder as programs in a cell see it. */
const FOLDER = '/cell';

/** How long a cell may take to be made, and to end by itself, in ms. */
const MAKING_MS = 20_000;
const ENDING_MS = 5000;

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
  /** The user that programs run as, as they see it. */
  readonly user: { readonly uid: number; readonly gid: number };
  readonly wanted: Wanted;
  /** `none`: `create` makes a network of its own. */
  readonly network: 'machine' | 'none';
  /** As `rootScript` takes them; none unless given. */
  readonly kernelLimits?: readonly string[];
  readonly onEnded?: () => Promise<void>;
}

export async function encloseInOwnRoot(cell: CellPlan, options: OwnRootOptions): Promise<Enclosure> {
  const { limits, folder } = cell;
  const { create, nsenter, drop, owner, user, network, kernelLimits = [], wanted, onEnded } = options;
  const plan = planRoot({ ...wanted, readable: [...wanted.readable, ...cell.readable] });
  const root = await realpath(folder);
  const about = { root, diskBytes: limits.diskBytes, owner, user, network, kernelLimits };
  const [program = '', ...args] = [...create, '/bin/sh', '-c', rootScript(plan, about)];
  const keeper = spawn(program, args, {
    cwd: '/',
    env: launcherEnvironment(cell.id),
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
  const [pid, mount, ipc, users, net] = inside;
  const enterWords = [
    ...['nsenter', `--pid=${pid}`, `--mount=${mount}`, `--ipc=${ipc}`],
    ...nsenter.map((word) => (word === '--user' ? `--user=${users}` : word)),
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
      const memoryBytes = used.ownBytes + Math.max(used.sharedBytes, heldBytes + used.namelessBytes);
      // The file system itself keeps the bound, rounded up to a page: full, it is not too full.
      const diskBytes = Math.min(heldBytes, limits.diskBytes);
      return { ...used, threads: used.threads - 1, memoryBytes, diskBytes };
    },
    destroy,
  };

  function ready(): Promise<number> {
    return new Promise((resolve, reject) => {
      let said = '';
      const fail = (why: string): void => reject(new SandboxError(`cannot create a cell: ${why}`));
      const timer = setTimeout(() => fail(`it took longer than ${MAKING_MS / 1000} s`), MAKING_MS);
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
