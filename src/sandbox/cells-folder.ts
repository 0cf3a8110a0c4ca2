/** Where cells have their folders: one folder a service that runs, so that a later start knows whose services are gone. */
import { lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, SandboxError } from './errors.ts';
import { getOwnIds, readProcessStat, readProcFile } from './procfs.ts';

/** Others may pass through, where a cell's own user must, and see nothing. */
const FOLDER_MODE = 0o711;

/** What names this boot and the process: its id alone may be another's by tomorrow, or by the next start. */
function instanceName(pid: number): string {
  const boot = (readProcFile('/proc/sys/kernel/random/boot_id') ?? '').slice(0, 8) || 'boot';
  return `${boot}-${pid}-${readProcessStat(pid)?.startedAt ?? '0'}`;
}

/** Makes a folder that nobody else writes to. Throws SandboxError where somebody put another thing there. */
async function makePrivateFolder(path: string, uid: number): Promise<void> {
  try {
    await mkdir(path, { recursive: false, mode: FOLDER_MODE });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST')
      throw new SandboxError(
        `cannot create the folder ${path} for running checks: ${errorCode(error)}`,
        error,
      );
  }
  const stats = await lstat(path);
  if (!stats.isDirectory() || (uid >= 0 && stats.uid !== uid) || (stats.mode & 0o022) !== 0)
    throw new SandboxError(`other users can write to ${path}, or it is not a folder: move it away`);
}

export interface CellsFolder {
  /** The mark of this service. */
  readonly instance: string;
  /** A folder for one cell: new, empty, this user's alone. */
  make(id: string): Promise<string>;
  close(): Promise<void>;
}

export interface CellsFolderOptions {
  readonly path: string;
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
  /** Ends what a service that is gone left running. */
  readonly clear: (instance: string) => Promise<void>;
}

/** How often a folder may go, with the last service that used it, while this one makes its own in it. */
const MAX_TRIES = 10;

/** Makes the folder of all services, and this one's in it. */
async function makeFolders(path: string, own: string, uid: number): Promise<void> {
  for (let triesLeft = MAX_TRIES; ; triesLeft -= 1) {
    try {
      await makePrivateFolder(path, uid);
      await makePrivateFolder(own, uid);
      return;
    } catch (error) {
      if (triesLeft <= 1 || !(await isMissing(path))) throw error;
    }
  }
}

const isMissing = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => false,
    (error: unknown) => errorCode(error) === 'ENOENT',
  );

/** Removes what services that are gone left there, and makes a folder for this one. */
export async function openCellsFolder(options: CellsFolderOptions): Promise<CellsFolder> {
  const { path, pid, isAlive, clear } = options;
  const { uid } = getOwnIds();
  const instance = instanceName(pid);
  const own = join(path, instance);
  await makeFolders(path, own, uid);
  for (const other of await readdir(path)) {
    const otherPid = Number(other.split('-')[1]);
    if (other === instance || !Number.isInteger(otherPid)) continue;
    if (isAlive(otherPid) && instanceName(otherPid) === other) continue;
    await clear(other);
    await rm(join(path, other), { recursive: true, force: true });
  }
  return {
    instance,
    async make(id) {
      const folder = join(own, id);
      await mkdir(folder, { mode: 0o700 });
      return folder;
    },
    async close() {
      await rm(own, { recursive: true, force: true });
      // Not empty: other services have theirs there.
      await rmdir(path).catch(() => {});
    },
  };
}
