/** The level `uid` where the system gives root no mounts of its own (containers): user ids and permissions do it alone. */
import { chmod, chown, rm } from 'node:fs/promises';
import { SandboxError } from '../errors.ts';
import { folderBytes } from '../folder-usage.ts';
import { limited } from '../limits.ts';
import { createMeter } from '../meter.ts';
import { ownIds } from '../procfs.ts';
import type { Description, Ground, SandboxOptions } from '../types.ts';
import { confined, isConfinable } from './confinement.ts';
import { lender } from './lender.ts';
import { becoming, killUsers, openUids, processesOf, quietly } from './uids.ts';

/** Where everybody may write: what a run leaves there goes with it. */
const SHARED = ['/tmp', '/var/tmp', '/dev/shm', '/run/lock'];

const description = (why: string): Description => ({
  ...{ level: 'uid', network: 'machine' },
  caution: `Scripts see the system as other users do: this machine gives them no file system of their own (${why})`,
  protects: [
    'each run has a user id of its own, without groups, capabilities or a way to gain any',
    'the store, keys and profiles are not readable for it, nor is the folder of another run',
    'it can neither signal nor trace processes of others, nor read their environment',
    'memory, CPU time, processes, files and the folder of a run are limited; at the end everything of its user id is killed',
  ],
  lacks: [
    `it sees the system as other users do, with all that they may read (${why})`,
    'it sees that other processes run, and what they were called with',
    'what it writes outside of its folder, where everybody may, goes with it, but has no bound',
    'it shares the network of the machine, services on loopback included',
    'memory of files that have no name (memfd) counts only where it is mapped',
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
        throw new SandboxError(`a cell cannot be given to another user: ${(error as Error).message}`, error);
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
