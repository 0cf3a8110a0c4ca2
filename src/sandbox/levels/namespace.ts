/** Implements the level `namespace` for ordinary users on Linux, with programs of util-linux. */
import { limitPrefix } from '../cell/launch.ts';
import { getOwnIds } from '../cell/procfs.ts';
import type { LevelBackend, SandboxOptions } from '../cell/sandbox.ts';
import { describeNetwork, encloseInOwnRoot } from './own-root.ts';

const DESCRIPTION = {
  level: 'namespace',
  protects: [
    'a script has a separate file system with read-only system files, without the database, keys, profiles and files of users',
    'it sees only the processes of its run, and cannot signal or trace others',
    'it can write only to one file system of a fixed size, which is deleted after the run',
    'it has no rights over its namespaces, so it cannot unmount the protection',
    'memory, CPU time, processes and files are limited, and all processes are killed after the run',
  ],
  lacks: ['it runs with the user ID of the service: only namespaces protect other files, not permissions'],
} as const;

/** Creates the level. A user namespace holds the mounts; each program gets a second one without rights over them. */
export function createNamespaceBackend(options: SandboxOptions): LevelBackend {
  const user = getOwnIds();
  return {
    description: describeNetwork(DESCRIPTION, options.network ?? 'machine'),
    enclose: (plan) =>
      encloseInOwnRoot(plan, options, {
        inUserNamespace: true,
        dropPrefix: [
          ...['unshare', '--user', `--map-user=${user.uid}`, `--map-group=${user.gid}`, '--'],
          ...limitPrefix(plan.limits, plan.limits.processes),
          ...['setpriv', '--no-new-privs', '--'],
        ],
        user,
      }),
    close: async () => {},
  };
}
