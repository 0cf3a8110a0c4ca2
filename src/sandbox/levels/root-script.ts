/** The program that builds the root of a cell, run by the first process of its namespaces. */
import { dirname } from 'node:path';
import type { RootPlan, Shown } from './root-plan.ts';

export interface RootScriptOptions {
  /** The folder that becomes the root. */
  readonly root: string;
  /** What all files together may hold, in bytes. */
  readonly diskBytes: number;
  /** Whose the folder of the cell is, as the first process sees it. */
  readonly owner: number;
  /** The user that programs of the cell run as. */
  readonly user: { readonly uid: number; readonly gid: number };
  /** `none`: its namespaces have no network but a loopback, which is down. */
  readonly network: 'machine' | 'none';
  /** Limits of the kernel for these namespaces: `name=value` below /proc/sys, set where the kernel lets them be set. */
  readonly kernelLimits: readonly string[];
}

/** Devices that every program may use. */
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'].map((name) => `/dev/${name}`);

/** What is kept in memory beyond the processes that made it has no bound that a cell could be held to: there is none of it. */
const NO_SYSTEM_V = ['kernel/shmmni=0', 'kernel/msgmni=0', 'kernel/sem=0 0 0 0', 'fs/mqueue/queues_max=0'];

const LOOPBACK = `ip link set lo up || ifconfig lo up || busybox ip link set lo up || { echo 'no loopback without ip (iproute2)' >&2; exit 1; }`;

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
/** Paths as they are below the new root, which is the working folder. */
const below = (paths: readonly string[]): string => paths.map((path) => quoted(`.${path}`)).join(' ');

/** A field of fstab(5), where blanks and backslashes are octal. */
const field = (text: string): string =>
  text.replace(/[\s\\#]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** What can be written: each name, and its folder in the one file system that holds it all. */
const WRITABLE = [
  ['/cell', '/writable/cell'],
  ['/tmp', '/writable/tmp'],
  ['/var/tmp', '/writable/tmp'],
  ['/dev/shm', '/writable/shm'],
] as const;

/** Where a path has its place before that is mounted. */
function beforeMounts(path: string): string {
  const [name, folder] = WRITABLE.find(([one]) => path.startsWith(`${one}/`)) ?? ['', ''];
  return folder + path.slice(name.length);
}

/** Makes places to mount on. */
const placesFor = (shown: readonly Shown[], where = (path: string) => path): string[] => {
  const folders = shown.map(({ target, isFolder }) => where(isFolder ? target : dirname(target)));
  const files = shown.filter(({ isFolder }) => !isFolder).map(({ target }) => where(target));
  return [
    ...(folders.length > 0 ? [`mkdir -p ${below([...new Set(folders)])}`] : []),
    ...files.map((path) => `: >>${below([path])}`),
  ];
};

/** What is mounted in a folder is there with it, and as writable as it was. */
const closeBelow = (shown: readonly Shown[]): string[] =>
  shown.flatMap((one) =>
    one.below.map(
      ({ target, options }) =>
        `[ ! -e ${below([target])} ] || mount -o remount,bind,${options} ${below([target])}`,
    ),
  );

/**
 * Builds a root in which there is what the plan names and nothing else, and moves there. One sized file system holds all that
 * can be written. The process then waits for its input to end: with it, or with the service, everything here ends. Processes
 * that nobody else waits for it waits for, so that their time is counted.
 */
export function rootScript(plan: RootPlan, options: RootScriptOptions): string {
  const { root, diskBytes, owner, user, network, kernelLimits } = options;
  const bind = (source: string, target: string, how = 'bind') => [source, target, 'none', how];
  const fstab = [
    ['proc', '/proc', 'proc', 'nosuid,nodev,noexec'],
    ...WRITABLE.map(([name, folder]) => bind(root + folder, name)),
    ...DEVICES.map((device) => bind(device, device)),
    ...plan.shown.map((one) => bind(one.source, one.target, `rbind,${one.options}`)),
  ].map(
    ([source = '', target = '', type, how]) => `${field(source)} ${field(root + target)} ${type} ${how} 0 0`,
  );
  const lines = [
    'set -eu',
    'umask 022',
    ...(network === 'none' ? [LOOPBACK] : []),
    `mount -t tmpfs -o size=1m,nr_inodes=8k,mode=0755,nosuid,nodev root ${quoted(root)}`,
    `cd ${quoted(root)}`,
    'mkdir -p proc dev/shm cell tmp var/tmp etc old writable',
    ...DEVICES.map((device) => `: >${below([device])}`),
    ...(plan.links.length > 0 ? [`cp -P ${plan.links.map(quoted).join(' ')} .`] : []),
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
    ...placesFor(plan.shown, beforeMounts),
    // echo of some shells (dash) would decode the octal blanks.
    `printf '%s\\n' ${quoted(fstab.join('\n'))} >writable/fstab`,
    'mount --all --fstab ./writable/fstab',
    'rm writable/fstab',
    'umount writable',
    ...plan.shown
      .filter(({ source }) => root.startsWith(`${source}/`))
      .map(({ source, target }) => `umount --recursive ${below([target + root.slice(source.length)])}`),
    ...closeBelow(plan.shown),
    ...plan.hidden.map(({ path, isFolder }) =>
      isFolder
        ? `mount -t tmpfs -o size=64k,mode=0755,nosuid,nodev hidden ${below([path])}`
        : `mount --bind /dev/null ${below([path])}`,
    ),
    ...placesFor(plan.shownOfHidden),
    ...plan.shownOfHidden.flatMap(({ source, target, options }) => [
      `mount --rbind ${quoted(source)} ${below([target])}`,
      `mount -o remount,bind,${options} ${below([target])}`,
    ]),
    ...closeBelow(plan.shownOfHidden),
    // Of the mount alone: a user namespace without all users may not change the file system.
    ...plan.hidden
      .filter(({ isFolder }) => isFolder)
      .map(({ path }) => `mount -o remount,bind,ro,nosuid,nodev ${below([path])}`),
    ...[...NO_SYSTEM_V, ...kernelLimits].map((limit) => {
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
    // What runs here under the same user can kill that: then another takes its place.
    'until wait $!; do cat <&3 >/dev/null & done',
  ];
  return lines.join('\n');
}
