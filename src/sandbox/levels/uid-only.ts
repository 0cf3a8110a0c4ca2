/** Implements the level `uid` if root may not mount (containers): only user IDs and permissions isolate runs. */
import { chmod, chown, rm } from 'node:fs/promises';
import { SandboxError } from '../errors.ts';
import { limitPrefix } from '../limit-prefix.ts';
import { measureFolder } from '../measure-folder.ts';
import { createUsageMeter } from '../meter.ts';
import { getOwnIds } from '../procfs.ts';
import type { Description, LevelBackend, SandboxOptions } from '../types.ts';
import { canConfine, confinementPrefix } from './confinement.ts';
import { createFolderSharing } from './folder-sharing.ts';
import { asUserPrefix, killUsers, listPidsOfUsers, openUidPool, runSilently } from './uids.ts';

/** World-writable folders. Files of a run are deleted from them after the run. */
const SHARED_FOLDERS = ['/tmp', '/var/tmp', '/dev/shm', '/run/lock'];

const describeLevel = (why: string): Description => ({
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
 * Creates the level. `why`: why there is no separate root, as a part of a sentence. `copiesFolder`: a folder for copies
 * of what cells read.
 */
export async function createUidOnlyBackend(
  { uids, self }: SandboxOptions,
  why: string,
  copiesFolder: string,
): Promise<LevelBackend> {
  await chmod(copiesFolder, 0o711);
  const range = await openUidPool({ range: uids, kill: self.kill });
  const { gid } = getOwnIds();
  const probe = range.acquire();
  const hasUserNamespaces = await canConfine(probe.uid);
  await probe.release();
  const share = createFolderSharing(copiesFolder);
  return {
    description: describeLevel(why),
    async enclose({ folder, limits, readable }) {
      const pathOf = await share(readable);
      const { uid, release } = range.acquire();
      const prefix = [
        ...[...limitPrefix(limits, limits.processes), ...asUserPrefix(uid)],
        ...(hasUserNamespaces ? confinementPrefix(uid) : []),
      ];
      const meter = createUsageMeter();
      const listUserPids = (): number[] => listPidsOfUsers((one) => one === uid);
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
        toArgv: (argv) => [...prefix, ...argv] as unknown as readonly [string, ...string[]],
        async usage() {
          const used = meter.read(listUserPids(), limits.memoryBytes);
          return { ...used, diskBytes: await measureFolder(folder, limits.diskBytes) };
        },
        async destroy() {
          await killUsers((one) => one === uid, self.kill);
          // Shared memory and queues outlive the processes that created them.
          await runSilently([...asUserPrefix(uid), 'ipcrm', '--all']);
          await runSilently(['find', ...SHARED_FOLDERS, '-xdev', '-user', String(uid), '-delete']);
          await rm(folder, { recursive: true, force: true });
          await release();
        },
      };
    },
    close: () => range.close(),
  };
}
