/**
 * Creates cells with a separate root file system, processes and IPC. An init process holds the namespaces, and all
 * processes end with it.
 */
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

/** The private folder, as programs in a cell see it. */
const FOLDER = '/cell';

/** Time limits for starting a cell and for its normal end, in ms. */
const START_MS = 20_000;
const STOP_MS = 5000;

/** Resolves when a process has ended or could not be started. */
const waitForEnd = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });

export interface OwnRootOptions {
  /** Command prefix that starts the init process in new namespaces. */
  readonly createPrefix: readonly string[];
  /** Arguments of `nsenter` that enter the namespaces, and the command prefix that drops the remaining rights. */
  readonly nsenter: readonly string[];
  readonly dropPrefix: readonly string[];
  /** Owner of the folder, as the init process sees it. */
  readonly owner: number;
  /** User of the programs, as they see it. */
  readonly user: { readonly uid: number; readonly gid: number };
  readonly rootOptions: RootOptions;
  /** `none`: `createPrefix` creates a separate network. */
  readonly network: 'machine' | 'none';
  /** See `rootScript`. Default: none. */
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
  /** Launchers, which enter the cell but run outside it. */
  const launchers = new Map<ChildProcess, Promise<void>>();

  async function destroy(): Promise<void> {
    initProcess.stdin.destroy();
    // Kill launchers explicitly: the launcher of a stopped program is stopped too, and the cell's end would wait for
    // it.
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

  /** PID of the process in the cell that reads the input. */
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
      // Files on tmpfs use memory. Do not count mapped files twice.
      const memoryBytes = used.ownBytes + Math.max(used.sharedBytes, tmpfsBytes + used.unnamedBytes);
      // tmpfs enforces the limit, rounded up to a page, so a full file system does not exceed it.
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
