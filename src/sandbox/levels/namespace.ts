/** The level `namespace`: what an ordinary user of Linux can have, with the programs of util-linux. */
import { limited } from '../limits.ts';
import { ownIds } from '../procfs.ts';
import type { Ground, SandboxOptions } from '../types.ts';
import { SAME_USER_LIMITS } from './confinement.ts';
import { netOf, withNetwork } from './network.ts';
import { encloseInOwnRoot } from './own-root.ts';

const DESCRIPTION = {
  level: 'namespace',
  protects: [
    'a script sees a root of its own: system files and what it needs, read-only; neither the store, keys and profiles nor the files of any user',
    'it sees no process but those of its run, and can neither signal nor trace others',
    'all it can write is one file system of a fixed size, which ends with the run',
    'it has no rights over its namespaces: it cannot unmount what hides the rest',
    'memory, CPU time, processes and files are limited; at the end everything is killed at once by the system',
  ],
  lacks: ['it runs under the user id of the service: what hides the rest are namespaces, not permissions'],
} as const;

/** Not root: a user namespace for the mounts, and in it, for each program, a second one without rights over those. */
export function namespaceGround(options: SandboxOptions): Ground {
  const { readable = [], hidden = [], home, network = 'machine' } = options;
  const { uid, gid } = ownIds();
  const namespaces = [
    '--user',
    '--map-root-user',
    '--mount',
    '--pid',
    '--ipc',
    '--fork',
    '--kill-child=KILL',
  ];
  const second = ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'];
  return {
    description: withNetwork(DESCRIPTION, network),
    enclose: (plan) =>
      encloseInOwnRoot(plan, {
        create: [
          'setpriv',
          '--pdeathsig',
          'KILL',
          '--',
          'unshare',
          ...namespaces,
          ...netOf(network),
          '--propagation',
          'private',
          '--',
        ],
        nsenter: ['--preserve-credentials', '--user'],
        drop: [...second, ...limited(plan.limits, plan.limits.processes), 'setpriv', '--no-new-privs', '--'],
        owner: 0,
        ...{ user: { uid, gid }, network, wanted: { readable, hidden, home } },
        kernelLimits: SAME_USER_LIMITS,
      }),
    close: async () => {},
  };
}
