/** A cell with a root file system, processes and IPC of its own: a first process holds them, and all end with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { realpath, rmdir, statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { launcherEnvironment } from '../environment.ts';
import { SandboxError } from '../errors.ts';
import { createUsageMeter } from '../meter.ts';
import { listPids } from '../procfs.ts';
import type { CellPlan, Enclosure } from '../types.ts';
import { planRoot, type RootOptions } from './root-plan.ts';
import { rootScript } from './root-script.ts';

/** The private folder as programs in a cell see it. */
const FOLDER = '/cell';

/** How long a cell may take to be made, and to end by itself, in ms. */
const START_MS = 20_000;
const STOP_MS = 5000;

/** Once a process has ended, or could not be started. */
const waitForEnd = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });

export interface OwnRootOptions {
  /** Words that start the first process in new namespaces. */
  readonly createPrefix: readonly string[];
  /** Words that enter the namespaces (`nsenter` with its options comes before them), and that lay down what rights are left. */
  readonly nsenter: readonly string[];
  readonly dropPrefix: readonly string[];
  /** Whose the folder is, as the first process sees it. */
  readonly owner: number;
  /** The user that programs run as, as they see it. */
  readonly user: { readonly uid: number; readonly gid: number };
  readonly rootOptions: RootOptions;
  /** `none`: `create` makes a network of its own. */
  readonly network: 'machine' | 'none';
  /** As `rootScript` takes them; none unless given. */
  readonly kernelLimits?: readonly string[];
  readonly onEnded?: () => Promise<void>;
}

export async function encloseInOwnRoot(cell: CellPlan, options: OwnRootOptions): Promise<Enclosure> {
  const { limits, folder } = cell;
  const {
    createPrefix,
    nsenter,
    dropPrefix,
    owner,
    user,
    network,
    kernelLimits = [],
    rootOptions,
    onEnded,
  } = options;
  const plan = planRoot({ ...rootOptions, readable: [...rootOptions.readable, ...cell.readable] });
  const root = await realpath(folder);
  const scriptOptions = { root, diskBytes: limits.diskBytes, owner, user, network, kernelLimits };
  const [program = '', ...args] = [...createPrefix, '/bin/sh', '-c', rootScript(plan, scriptOptions)];
  const initProcess = spawn(program, args, {
    cwd: '/',
    env: launcherEnvironment(cell.id),
    stdio: 'pipe',
    detached: true,
  });
  initProcess.stdin.on('error', () => {});
  const initEnded = waitForEnd(initProcess);
  /** What leads programs into the cell stands outside of it. */
  const launchers = new Map<ChildProcess, Promise<void>>();

  async function destroy(): Promise<void> {
    initProcess.stdin.destroy();
    // Who led in a program that stopped has stopped as well: all in there would wait for it to look, and it would stay.
    for (const program of launchers.keys()) program.kill('SIGKILL');
    const forceTimer = new AbortController();
    const forceKill = delay(STOP_MS, undefined, { signal: forceTimer.signal }).then(
      () => initProcess.kill('SIGKILL'),
      () => {},
    );
    await initEnded;
    forceTimer.abort();
    await forceKill;
    await Promise.all(launchers.values());
    await rmdir(folder);
    await onEnded?.();
  }

  /** The process in there that reads the input. */
  let inputReaderPid: number;
  try {
    inputReaderPid = await waitUntilReady();
  } catch (error) {
    await destroy();
    throw error;
  }
  const meter = createUsageMeter();
  const procFolder = `/proc/${initProcess.pid}`;
  const inside = ['pid_for_children', 'mnt', 'ipc', 'user', 'net'].map((name) => `${procFolder}/ns/${name}`);
  const [pid, mount, ipc, users, net] = inside;
  const enterPrefix = [
    ...['nsenter', `--pid=${pid}`, `--mount=${mount}`, `--ipc=${ipc}`],
    ...nsenter.map((word) => (word === '--user' ? `--user=${users}` : word)),
    ...(network === 'none' ? [`--net=${net}`] : []),
    ...['--', ...dropPrefix],
  ];
  return {
    folder: FOLDER,
    hostFolder: `${procFolder}/root${FOLDER}`,
    workingFolder: '/',
    toArgv: (argv) => [...enterPrefix, ...argv] as unknown as readonly [string, ...string[]],
    onStarted(program) {
      launchers.set(
        program,
        waitForEnd(program).then(() => void launchers.delete(program)),
      );
    },
    async usage() {
      const proc = `${procFolder}/root/proc`;
      const used = meter.read(
        listPids(proc).filter((one) => one !== inputReaderPid),
        limits.memoryBytes,
        proc,
      );
      const disk = await statfs(`${procFolder}/root${FOLDER}`).catch(() => undefined);
      const tmpfsBytes = disk ? (disk.blocks - disk.bfree) * disk.bsize : 0;
      // What is written here is held in memory; and what is mapped of it is not held twice.
      const memoryBytes = used.ownBytes + Math.max(used.sharedBytes, tmpfsBytes + used.unnamedBytes);
      // The file system itself keeps the bound, rounded up to a page: full, it is not too full.
      const diskBytes = Math.min(tmpfsBytes, limits.diskBytes);
      return { ...used, threads: used.threads - 1, memoryBytes, diskBytes };
    },
    destroy,
  };

  function waitUntilReady(): Promise<number> {
    return new Promise((resolve, reject) => {
      let stderr = '';
      const fail = (why: string): void => reject(new SandboxError(`cannot create a cell: ${why}`));
      const timer = setTimeout(() => fail(`it took longer than ${START_MS / 1000} s`), START_MS);
      initProcess.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr = `${stderr}${text}`.slice(-500);
      });
      initProcess.stdout.once('data', (word: Buffer) => {
        clearTimeout(timer);
        resolve(Number(/\d+/.exec(word.toString())?.[0]));
      });
      initProcess.once('error', (error) => {
        clearTimeout(timer);
        fail(error.message);
      });
      initProcess.once('close', () => {
        clearTimeout(timer);
        fail(stderr.trim().split('\n').join('; ') || 'its first process ended');
      });
    });
  }
}
