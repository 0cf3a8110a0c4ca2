/** Manages the folders of cells. Each service has its own, so that a later start can remove it. */
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { getOwnIds, readProcessStat, readProcFile } from './procfs.ts';
import { errorCode, SandboxError } from './sandbox.ts';

/** Other users, such as those of cells, can pass through the folder, but not list it. */
const FOLDER_MODE = 0o711;

/** Returns a name with the boot and the start time of a process, because a PID alone is reused. */
function instanceName(pid: number): string {
  const boot = (readProcFile('/proc/sys/kernel/random/boot_id') ?? '').slice(0, 8) || 'boot';
  return `${boot}-${pid}-${readProcessStat(pid)?.startedAt ?? '0'}`;
}

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

interface CellsFolderOptions {
  readonly path: string;
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
  /** Ends processes that an ended service left behind. */
  readonly clear: (instance: string) => Promise<void>;
}

/** Retries, because the last other service may remove the shared folder at the same time. */
const MAX_TRIES = 10;

async function makeFolders(path: string, ownFolder: string, uid: number): Promise<void> {
  for (let triesLeft = MAX_TRIES; ; triesLeft -= 1) {
    try {
      await makePrivateFolder(path, uid);
      await makePrivateFolder(ownFolder, uid);
      return;
    } catch (error) {
      if (triesLeft <= 1 || existsSync(path)) throw error;
    }
  }
}

export async function openCellsFolder({ path, pid, isAlive, clear }: CellsFolderOptions) {
  const { uid } = getOwnIds();
  const instance = instanceName(pid);
  const ownFolder = join(path, instance);
  await makeFolders(path, ownFolder, uid);
  for (const other of await readdir(path)) {
    const otherPid = Number(other.split('-')[1]);
    if (other === instance || !Number.isInteger(otherPid)) continue;
    if (isAlive(otherPid) && instanceName(otherPid) === other) continue;
    await clear(other);
    await rm(join(path, other), { recursive: true, force: true });
  }
  return {
    /** Identifies this service. */
    instance,
    async make(id: string): Promise<string> {
      const folder = join(ownFolder, id);
      await mkdir(folder, { mode: 0o700 });
      return folder;
    },
    async close(): Promise<void> {
      await rm(ownFolder, { recursive: true, force: true });
      // The folder is not empty if other services use it.
      await rmdir(path).catch(() => {});
    },
  };
}
