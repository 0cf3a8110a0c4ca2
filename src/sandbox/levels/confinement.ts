/** What scripts may make of namespaces: those that Chromium's own sandbox needs, and none in which memory escapes the count. */
import { asUserPrefix, runSilently } from './uids.ts';

/** Of `kernelLimits`, for a user namespace: a script with mounts of its own could keep files in memory where nobody counts them. */
const NAMESPACE_LIMITS = [
  ...['mnt', 'ipc', 'uts', 'cgroup', 'time'].map((kind) => `user/max_${kind}_namespaces=0`),
  ...['user', 'pid', 'net'].map((kind) => `user/max_${kind}_namespaces=64`),
];

/** Of these the user of the service has few, and a script under the same user is not to take them all. */
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
 * The words before a program's own by which it gets a user namespace with these limits, and keeps no right over it. They need a
 * user who may make user namespaces; one who may not needs no limits.
 */
export const confinementPrefix = (uid: number): readonly string[] => [
  ...['unshare', '--user', `--map-user=${uid}`, `--map-group=${uid}`, '--keep-caps', '--'],
  ...['/bin/sh', '-c', CONFINE, 'sh', ...NAMESPACE_LIMITS, '--'],
  ...['setpriv', '--no-new-privs', '--ambient-caps=-all', '--inh-caps=-all', '--bounding-set=-all', '--'],
];

/** Whether a user may make user namespaces, with limits that hold. */
export const canConfine = (uid: number): Promise<boolean> =>
  runSilently([
    ...[...asUserPrefix(uid), ...confinementPrefix(uid)],
    ...['/bin/sh', '-c', '[ "$(cat /proc/sys/user/max_mnt_namespaces)" = 0 ]'],
  ]);
