/**
 * Limits the namespaces of scripts to those that Chromium's own sandbox needs. In others, memory would escape
 * measurement.
 */
import { asUserPrefix, runSilently } from './uids.ts';

/** Kernel limits of a user namespace. A script with its own mounts could keep unmeasured files in memory. */
const NAMESPACE_LIMITS = [
  ...['mnt', 'ipc', 'uts', 'cgroup', 'time'].map((kind) => `user/max_${kind}_namespaces=0`),
  ...['user', 'pid', 'net'].map((kind) => `user/max_${kind}_namespaces=64`),
];

/** Resources that the service's user has few of, so that a script under the same user cannot exhaust them. */
export const SAME_USER_LIMITS = [
  ...NAMESPACE_LIMITS,
  'user/max_inotify_instances=32',
  'user/max_inotify_watches=16384',
  'user/max_fanotify_groups=8',
];

const CONFINE = `
while [ "$1" != -- ]; do { echo "\${1#*=}" >"/proc/sys/\${1%%=*}"; } 2>/dev/null || :; shift; done
shift
exec "$@"`;

/**
 * Returns the command prefix that starts a program in a user namespace with these limits and without rights over it.
 * The user must be allowed to create user namespaces; other users need no limits.
 */
export const confinementPrefix = (uid: number): readonly string[] => [
  ...['unshare', '--user', `--map-user=${uid}`, `--map-group=${uid}`, '--keep-caps', '--'],
  ...['/bin/sh', '-c', CONFINE, 'sh', ...NAMESPACE_LIMITS, '--'],
  ...['setpriv', '--no-new-privs', '--ambient-caps=-all', '--inh-caps=-all', '--bounding-set=-all', '--'],
];

/** Returns whether a user can create user namespaces with effective limits. */
export const canConfine = (uid: number): Promise<boolean> =>
  runSilently([
    ...[...asUserPrefix(uid), ...confinementPrefix(uid)],
    ...['/bin/sh', '-c', '[ "$(cat /proc/sys/user/max_mnt_namespaces)" = 0 ]'],
  ]);
