/** Renders the script that builds the root of a cell. The init process runs it. */
import { dirname } from 'node:path';
import type { BoundPath, RootPlan } from './root-plan.ts';

export interface RootScriptOptions {
  readonly root: string;
  /** Size limit of all files together, in bytes. */
  readonly diskBytes: number;
  readonly owner: number;
  readonly user: { readonly uid: number; readonly gid: number };
  /** `none`: the namespaces have only a loopback, which is down. */
  readonly network: 'machine' | 'none';
  /** Kernel limits of the namespaces: `name=value` below /proc/sys, set if the kernel allows it. */
  readonly kernelLimits: readonly string[];
}

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'].map((name) => `/dev/${name}`);

/** Disables System V IPC and message queues, whose memory outlives its processes and has no limit. */
const SYSTEM_V_LIMITS = [
  'kernel/shmmni=0',
  'kernel/msgmni=0',
  'kernel/sem=0 0 0 0',
  'fs/mqueue/queues_max=0',
];

const LOOPBACK = `ip link set lo up || ifconfig lo up || busybox ip link set lo up || { echo 'no loopback without ip (iproute2)' >&2; exit 1; }`;

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
/** Returns quoted paths relative to the new root, which is the working folder. */
const relativePaths = (paths: readonly string[]): string => paths.map((path) => quote(`.${path}`)).join(' ');

/** Escapes a field of fstab(5), in which blanks and backslashes are octal. */
const escapeField = (text: string): string =>
  text.replace(/[\s\\#]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** Writable folders, and their location in the one file system that contains them. */
const WRITABLE = [
  ['/cell', '/writable/cell'],
  ['/tmp', '/writable/tmp'],
  ['/var/tmp', '/writable/tmp'],
  ['/dev/shm', '/writable/shm'],
] as const;

function writablePath(path: string): string {
  const [name, folder] = WRITABLE.find(([one]) => path.startsWith(`${one}/`)) ?? ['', ''];
  return folder + path.slice(name.length);
}

const mountPointCommands = (shown: readonly BoundPath[], mapPath = (path: string) => path): string[] => {
  const folders = shown.map(({ target, isFolder }) => mapPath(isFolder ? target : dirname(target)));
  const files = shown.filter(({ isFolder }) => !isFolder).map(({ target }) => mapPath(target));
  return [
    ...(folders.length > 0 ? [`mkdir -p ${relativePaths([...new Set(folders)])}`] : []),
    ...files.map((path) => `: >>${relativePaths([path])}`),
  ];
};

const remountCommands = (shown: readonly BoundPath[]): string[] =>
  shown.flatMap((one) =>
    one.below.map(
      ({ target, options }) =>
        `[ ! -e ${relativePaths([target])} ] || mount -o remount,bind,${options} ${relativePaths([target])}`,
    ),
  );

/**
 * Renders a script that builds a root with only the planned paths, and moves there. One file system of a fixed size
 * holds all writable files. The process then waits until its input ends, which ends the cell. It also reaps orphaned
 * processes, so that their CPU time is counted.
 */
export function rootScript(plan: RootPlan, options: RootScriptOptions): string {
  const { root, diskBytes, owner, user, network, kernelLimits } = options;
  const bind = (source: string, target: string, how = 'bind') => [source, target, 'none', how];
  const fstab = [
    ['proc', '/proc', 'proc', 'nosuid,nodev,noexec'],
    ...WRITABLE.map(([name, folder]) => bind(root + folder, name)),
    ...DEVICES.map((device) => bind(device, device)),
    ...plan.bound.map((one) => bind(one.source, one.target, `rbind,${one.options}`)),
  ].map(
    ([source = '', target = '', type, how]) =>
      `${escapeField(source)} ${escapeField(root + target)} ${type} ${how} 0 0`,
  );
  const lines = [
    'set -eu',
    'umask 022',
    ...(network === 'none' ? [LOOPBACK] : []),
    `mount -t tmpfs -o size=1m,nr_inodes=8k,mode=0755,nosuid,nodev root ${quote(root)}`,
    `cd ${quote(root)}`,
    'mkdir -p proc dev/shm cell tmp var/tmp etc old writable',
    ...DEVICES.map((device) => `: >${relativePaths([device])}`),
    ...(plan.links.length > 0 ? [`cp -P ${plan.links.map(quote).join(' ')} .`] : []),
    'ln -s /proc/self/fd dev/fd',
    ...['stdin', 'stdout', 'stderr'].map((name, at) => `ln -s /proc/self/fd/${at} dev/${name}`),
    `echo 'root:x:0:0::/nonexistent:/bin/false' >etc/passwd`,
    `echo 'cell:x:${user.uid}:${user.gid}::/cell:/bin/sh' >>etc/passwd`,
    `echo 'nobody:x:65534:65534::/nonexistent:/bin/false' >>etc/passwd`,
    `echo 'cell:x:${user.gid}:' >etc/group`,
    `mount -t tmpfs -o size=${diskBytes},nr_inodes=64k,mode=0755,nosuid,nodev writable writable`,
    'mkdir -m 0700 writable/cell',
    'mkdir -m 1777 writable/tmp writable/shm',
    ...(owner === 0 ? [] : [`chown ${owner} writable/cell`]),
    ...mountPointCommands(plan.bound, writablePath),
    // echo of some shells (dash) would decode the octal blanks.
    `printf '%s\\n' ${quote(fstab.join('\n'))} >writable/fstab`,
    'mount --all --fstab ./writable/fstab',
    'rm writable/fstab',
    'umount writable',
    ...plan.bound
      .filter(({ source }) => root.startsWith(`${source}/`))
      .map(
        ({ source, target }) => `umount --recursive ${relativePaths([target + root.slice(source.length)])}`,
      ),
    ...remountCommands(plan.bound),
    ...plan.hidden.map(({ path, isFolder }) =>
      isFolder
        ? `mount -t tmpfs -o size=64k,mode=0755,nosuid,nodev hidden ${relativePaths([path])}`
        : `mount --bind /dev/null ${relativePaths([path])}`,
    ),
    ...mountPointCommands(plan.boundInHidden),
    ...plan.boundInHidden.flatMap(({ source, target, options }) => [
      `mount --rbind ${quote(source)} ${relativePaths([target])}`,
      `mount -o remount,bind,${options} ${relativePaths([target])}`,
    ]),
    ...remountCommands(plan.boundInHidden),
    // Restrict only the mount: a user namespace without all users may not change the file system.
    ...plan.hidden
      .filter(({ isFolder }) => isFolder)
      .map(({ path }) => `mount -o remount,bind,ro,nosuid,nodev ${relativePaths([path])}`),
    ...[...SYSTEM_V_LIMITS, ...kernelLimits].map((limit) => {
      const [name, value] = limit.split('=');
      return `{ echo '${value}' >proc/sys/${name}; } 2>/dev/null || :`;
    }),
    'pivot_root . old',
    'cd /',
    'umount -l /old',
    'rmdir /old /writable',
    'mount -o remount,bind,ro,nosuid,nodev /',
    'exec 3<&0',
    'cat <&3 >/dev/null &',
    'echo "ready $!"',
    // A process of the same user can kill the reader. Then start another one.
    'until wait $!; do cat <&3 >/dev/null & done',
  ];
  return lines.join('\n');
}
