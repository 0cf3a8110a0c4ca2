/** The level `uid` where the system gives root no mounts of its own (containers): user ids and permissions do it alone. */
import { chmod, chown, rm } from 'node:fs/promises';
import { SandboxError } from '../errors.ts';
import { folderBytes } from '../measure-folder.ts';
import { limited } from '../limit-prefix.ts';
import { createMeter } from '../meter.ts';
import { ownIds } from '../procfs.ts';
import type { Description, Ground, SandboxOptions } from '../types.ts';
import { confined, isConfinable } from './confinement.ts';
import { lender } from './folder-sharing.ts';
import { becoming, killUsers, openUids, processesOf, quietly } from './uids.ts';

/** Where everybody may write: what a run leaves there goes with it. */
const SHARED = ['/tmp', '/var/tmp', '/dev/shm', '/run/lock'];

const description = (why: string): Description => ({
  ...{ level: 'uid', network: 'machine' },
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

/** `why`: why there is no root of its own, as a part of a sentence. `lent`: a folder for copies of what cells read. */
export async function uidAloneGround(
  { uids, self }: SandboxOptions,
  why: string,
  lent: string,
): Promise<Ground> {
  await chmod(lent, 0o711);
  const range = await openUids({ range: uids, kill: self.kill });
  const { gid } = ownIds();
  const probe = range.take();
  const hasUserNamespaces = await isConfinable(probe.uid);
  await probe.release();
  const lend = lender(lent);
  return {
    description: description(why),
    async enclose({ folder, limits, readable }) {
      const pathOf = await lend(readable);
      const { uid, release } = range.take();
      const words = [
        ...[...limited(limits, limits.processes), ...becoming(uid)],
        ...(hasUserNamespaces ? confined(uid) : []),
      ];
      const meter = createMeter();
      const find = (): number[] => processesOf((one) => one === uid);
      try {
        // The service needs no right over others' files to reach it.
        await chown(folder, uid, gid);
        await chmod(folder, 0o770);
      } catch (error) {
        await release();
        throw new SandboxError(`cannot change the owner of a cell: ${(error as Error).message}`, error);
      }
      return {
        ...{ folder, outside: folder, startIn: '/', pathOf },
        enter: (argv) => [...words, ...argv] as unknown as readonly [string, ...string[]],
        async usage() {
          const used = meter.read(find(), limits.memoryBytes);
          return { ...used, diskBytes: await folderBytes(folder, limits.diskBytes) };
        },
        async destroy() {
          await killUsers((one) => one === uid, self.kill);
          // Shared memory and queues outlive the processes that made them.
          await quietly([...becoming(uid), 'ipcrm', '--all']);
          await quietly(['find', ...SHARED, '-xdev', '-user', String(uid), '-delete']);
          await rm(folder, { recursive: true, force: true });
          await release();
        },
      };
    },
    close: () => range.close(),
  };
}
