/** Creates cells with their own root, processes and IPC. All processes end with their init process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { realpath, rmdir, statfs } from 'node:fs/promises';
import { launcherEnvironment } from '../cell/launch.ts';
import { createUsageMeter } from '../cell/meter.ts';
import { listPids } from '../cell/procfs.ts';
import {
  type CellPlan,
  type Description,
  type Enclosure,
  SandboxError,
  type SandboxOptions,
} from '../cell/sandbox.ts';
import { planRoot } from './root-plan.ts';
import { rootScript } from './root-script.ts';
import { SAME_USER_LIMITS } from './uids.ts';

const NO_NETWORK =
  'it has no network: it reaches only its own loopback interface and connections that the service opens';
const MACHINE_NETWORK = 'it shares the network of the machine, including services on loopback';

/** Adds the network of the cells to a description. */
export const describeNetwork = (
  { protects, lacks, ...description }: Omit<Description, 'network'>,
  network: Description['network'],
): Description =>
  network === 'none'
    ? { ...description, network, lacks, protects: [...protects, NO_NETWORK] }
    : { ...description, network, protects, lacks: [MACHINE_NETWORK, ...lacks] };

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
  /** Whether a user namespace holds the mounts, because the service does not run as root. */
  readonly inUserNamespace: boolean;
  readonly dropPrefix: readonly string[];
  readonly user: { readonly uid: number; readonly gid: number };
  readonly onEnded?: () => Promise<void>;
}

export async function encloseInOwnRoot(
  { id, folder, limits, readable: cellReadable }: CellPlan,
  { readable = [], hidden = [], home, network = 'machine' }: SandboxOptions,
  { inUserNamespace, dropPrefix, user, onEnded }: OwnRootOptions,
): Promise<Enclosure> {
  const script = rootScript(planRoot({ readable: [...readable, ...cellReadable], hidden, home }), {
    root: await realpath(folder),
    diskBytes: limits.diskBytes,
    owner: inUserNamespace ? 0 : user.uid,
    user,
    network,
    kernelLimits: inUserNamespace ? SAME_USER_LIMITS : [],
  });
  const args = [
    ...['--pdeathsig', 'KILL', '--', 'unshare'],
    ...(inUserNamespace ? ['--user', '--map-root-user'] : []),
    ...['--mount', '--pid', '--ipc', '--fork', '--kill-child=KILL', '--propagation', 'private'],
    ...(network === 'none' ? ['--net'] : []),
    ...['--', '/bin/sh', '-c', script],
  ];
  const initProcess = spawn('setpriv', args, {
    cwd: '/',
    env: launcherEnvironment(id),
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
    const forceKill = setTimeout(() => initProcess.kill('SIGKILL'), STOP_MS);
    await initEnded;
    clearTimeout(forceKill);
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
  const cellFolder = `${procFolder}/root${FOLDER}`;
  const enterPrefix = [
    'nsenter',
    `--pid=${procFolder}/ns/pid_for_children`,
    `--mount=${procFolder}/ns/mnt`,
    `--ipc=${procFolder}/ns/ipc`,
    ...(inUserNamespace ? ['--preserve-credentials', `--user=${procFolder}/ns/user`] : []),
    ...(network === 'none' ? [`--net=${procFolder}/ns/net`] : []),
    ...['--', ...dropPrefix],
  ];
  return {
    folder: FOLDER,
    hostFolder: cellFolder,
    workingFolder: '/',
    toArgv: (argv) => [...enterPrefix, ...argv],
    onStarted(program) {
      launchers.set(
        program,
        waitForEnd(program).then(() => void launchers.delete(program)),
      );
    },
    async usage() {
      const proc = `${procFolder}/root/proc`;
      const pids = listPids(proc).filter((one) => one !== inputReaderPid);
      const used = meter.read(pids, limits.memoryBytes, proc);
      const disk = await statfs(cellFolder).catch(() => undefined);
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
      const fail = (why: string): void => {
        clearTimeout(timer);
        reject(new SandboxError(`cannot create a cell: ${why}`));
      };
      const timer = setTimeout(() => fail(`it took longer than ${START_MS / 1000} s`), START_MS);
      initProcess.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr = `${stderr}${text}`.slice(-500);
      });
      initProcess.stdout.once('data', (word: Buffer) => {
        clearTimeout(timer);
        resolve(Number(/\d+/.exec(word.toString())?.[0]));
      });
      initProcess.once('error', (error) => fail(error.message));
      initProcess.once('close', () =>
        fail(stderr.trim().split('\n').join('; ') || 'its first process ended'),
      );
    });
  }
}
