/** Implements the level `uid`: the service runs as root, and each run under a unique user ID. */
import { limitPrefix } from '../limit-prefix.ts';
import type { LevelBackend, SandboxOptions } from '../types.ts';
import { canConfine, confinementPrefix } from './confinement.ts';
import { describeNetwork, networkArguments } from './network.ts';
import { encloseInOwnRoot } from './own-root.ts';
import { openUidPool } from './uids.ts';

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

export async function createUidBackend({
  readable = [],
  hidden = [],
  home,
  network = 'machine',
  uids,
  self,
}: SandboxOptions): Promise<LevelBackend> {
  const range = await openUidPool({ range: uids, kill: self.kill });
  const probe = range.acquire();
  const hasUserNamespaces = await canConfine(probe.uid);
  await probe.release();
  const namespaces = ['--mount', '--pid', '--ipc', '--fork', '--kill-child=KILL', '--propagation', 'private'];
  return {
    description: describeNetwork(DESCRIPTION, network),
    async enclose(plan) {
      const { uid, release } = range.acquire();
      const rights = ['--clear-groups', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'];
      try {
        return await encloseInOwnRoot(plan, {
          createPrefix: [
            'setpriv',
            '--pdeathsig',
            'KILL',
            '--',
            'unshare',
            ...namespaces,
            ...networkArguments(network),
            '--',
          ],
          nsenter: [],
          dropPrefix: [
            ...limitPrefix(plan.limits, plan.limits.processes),
            ...['setpriv', `--reuid=${uid}`, `--regid=${uid}`, ...rights, '--'],
            ...(hasUserNamespaces ? confinementPrefix(uid) : []),
          ],
          owner: uid,
          user: { uid, gid: uid },
          network,
          rootOptions: { readable, hidden, home },
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
