/** Implements the level `uid`: the service runs as root, and each run under a unique user ID. */

import { chmod, chown, copyFile, link, mkdir, readdir, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { limitPrefix } from '../cell/launch.ts';
import { createUsageMeter, measureFolder } from '../cell/meter.ts';
import { getOwnIds } from '../cell/procfs.ts';
import { type Description, type LevelBackend, SandboxError, type SandboxOptions } from '../cell/sandbox.ts';
import { describeNetwork, encloseInOwnRoot } from './own-root.ts';
import { asUserPrefix, killUsers, listPidsOfUsers, openUidPool, runSilently } from './uids.ts';

const DESCRIPTION = {
  level: 'uid',
  protects: [
    'each run has a separate user ID without groups and capabilities, and cannot gain any',
    'a script has a separate file system with read-only system files, without the database, keys, profiles and files of users',
    'it sees only the processes of its run, and cannot signal or trace others',
    'it can write only to one file system of a fixed size, which is deleted after the run',
    'memory, CPU time, processes and files are limited, and all processes are killed after the run',
  ],
  lacks: [],
} as const;

export async function createUidBackend(options: SandboxOptions): Promise<LevelBackend> {
  const pool = await openUidPool(options);
  return {
    description: describeNetwork(DESCRIPTION, options.network ?? 'machine'),
    async enclose(plan) {
      const { uid, release } = pool.acquire();
      const rights = ['--clear-groups', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'];
      try {
        return await encloseInOwnRoot(plan, options, {
          inUserNamespace: false,
          dropPrefix: [
            ...limitPrefix(plan.limits, plan.limits.processes),
            ...['setpriv', `--reuid=${uid}`, `--regid=${uid}`, ...rights, '--'],
            ...pool.confinementPrefix(uid),
          ],
          user: { uid, gid: uid },
          onEnded: release,
        });
      } catch (error) {
        await release();
        throw error;
      }
    },
    close: pool.close,
  };
}

/** World-writable folders. Files of a run are deleted from them after the run. */
const SHARED_FOLDERS = ['/tmp', '/var/tmp', '/dev/shm', '/run/lock'];

const describeUidOnly = (why: string): Description => ({
  level: 'uid',
  network: 'machine',
  caution: `Scripts see the file system like any other user, because this machine cannot give them a separate one (${why})`,
  protects: [
    'each run has a separate user ID without groups and capabilities, and cannot gain any',
    'it cannot read the database, keys, profiles and the folders of other runs',
    'it cannot signal or trace processes of other users, or read their environment',
    'memory, CPU time, processes, files and the folder of a run are limited, and all processes of its user ID are killed after the run',
  ],
  lacks: [
    `it can read everything that any user can read (${why})`,
    'it sees other processes and their arguments',
    'files that it writes to shared folders are deleted after the run, but are not limited',
    'it shares the network of the machine, including services on loopback',
    'memory of anonymous files (memfd) is limited only while it is mapped',
  ],
});

/**
 * Creates the level for a root that may not mount (containers): only user IDs and permissions isolate runs. `why`: why
 * there is no separate root, as a part of a sentence. `copiesFolder`: a folder for copies of what cells read.
 */
export async function createUidOnlyBackend(
  options: SandboxOptions,
  why: string,
  copiesFolder: string,
): Promise<LevelBackend> {
  await chmod(copiesFolder, 0o711);
  const pool = await openUidPool(options);
  const { gid } = getOwnIds();
  const share = createFolderSharing(copiesFolder);
  return {
    description: describeUidOnly(why),
    async enclose({ folder, limits, readable }) {
      const pathOf = await share(readable);
      const { uid, release } = pool.acquire();
      const prefix = [
        ...[...limitPrefix(limits, limits.processes), ...asUserPrefix(uid)],
        ...pool.confinementPrefix(uid),
      ];
      const meter = createUsageMeter();
      try {
        // The group lets the service access the folder without rights over other users' files.
        await chown(folder, uid, gid);
        await chmod(folder, 0o770);
      } catch (error) {
        await release();
        throw new SandboxError(`cannot change the owner of a cell: ${(error as Error).message}`, error);
      }
      return {
        folder,
        hostFolder: folder,
        workingFolder: '/',
        pathOf,
        toArgv: (argv) => [...prefix, ...argv],
        async usage() {
          const used = meter.read(
            listPidsOfUsers((one) => one === uid),
            limits.memoryBytes,
          );
          return { ...used, diskBytes: await measureFolder(folder, limits.diskBytes) };
        },
        async destroy() {
          await killUsers((one) => one === uid, options.self.kill);
          // Shared memory and queues outlive the processes that created them.
          await runSilently([...asUserPrefix(uid), 'ipcrm', '--all']);
          await runSilently(['find', ...SHARED_FOLDERS, '-xdev', '-user', String(uid), '-delete']);
          await rm(folder, { recursive: true, force: true });
          await release();
        },
      };
    },
    close: pool.close,
  };
}

/**
 * Returns a function that makes folders readable for every user, each copied at most once, and returns the path at
 * which programs find their files. `copiesFolder`: a folder that every user can pass through.
 */
export function createFolderSharing(copiesFolder: string) {
  const copies = new Map<string, Promise<string>>();
  let count = 0;

  async function shareOrCopy(folder: string): Promise<string> {
    if (await isReachable(folder)) return folder;
    count += 1;
    const copy = join(copiesFolder, String(count));
    await copyFolder(folder, copy);
    return copy;
  }

  return async (folders: readonly string[]): Promise<(path: string) => string> => {
    const shared = await Promise.all(
      folders.map(async (folder) => {
        const copying = copies.get(folder) ?? shareOrCopy(folder);
        copies.set(folder, copying);
        // The next cell retries a failed copy.
        copying.catch(() => copies.delete(folder));
        return [folder, await copying] as const;
      }),
    );
    return (path) => {
      const [folder, copy] = shared.find(([one]) => path === one || path.startsWith(one + sep)) ?? ['', ''];
      return copy + path.slice(folder.length);
    };
  };
}

/** Returns whether every user can read the folder and pass through its parents. */
async function isReachable(path: string): Promise<boolean> {
  const folder = await realpath(path);
  if (((await stat(folder)).mode & 0o005) !== 0o005) return false;
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above))
    if (((await stat(above)).mode & 0o001) === 0) return false;
  return true;
}

async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyFolder(source, target);
    else if (entry.isFile()) await link(source, target).catch(() => copyFile(source, target));
  }
}
