/** The level `uid`: the service runs as root, and each run under a user id that nobody else has. */
import { limited } from '../limit-prefix.ts';
import type { Ground, SandboxOptions } from '../types.ts';
import { confined, isConfinable } from './confinement.ts';
import { netOf, withNetwork } from './network.ts';
import { encloseInOwnRoot } from './own-root.ts';
import { openUids } from './uids.ts';

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

export async function uidGround({
  readable = [],
  hidden = [],
  home,
  network = 'machine',
  uids,
  self,
}: SandboxOptions): Promise<Ground> {
  const range = await openUids({ range: uids, kill: self.kill });
  const probe = range.take();
  const hasUserNamespaces = await isConfinable(probe.uid);
  await probe.release();
  const namespaces = ['--mount', '--pid', '--ipc', '--fork', '--kill-child=KILL', '--propagation', 'private'];
  return {
    description: withNetwork(DESCRIPTION, network),
    async enclose(plan) {
      const { uid, release } = range.take();
      const rights = ['--clear-groups', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'];
      try {
        return await encloseInOwnRoot(plan, {
          create: ['setpriv', '--pdeathsig', 'KILL', '--', 'unshare', ...namespaces, ...netOf(network), '--'],
          nsenter: [],
          drop: [
            ...limited(plan.limits, plan.limits.processes),
            ...['setpriv', `--reuid=${uid}`, `--regid=${uid}`, ...rights, '--'],
            ...(hasUserNamespaces ? confined(uid) : []),
          ],
          owner: uid,
          ...{ user: { uid, gid: uid }, network, wanted: { readable, hidden, home } },
          onEnded: release,
        });
      } catch (error) {
        await release();
        throw error;
      }
    },
    close: () => range.close(),
  };
}
