/** What the root of a cell shows of the machine: which folders and files, with which restrictions, and what stays hidden in them. */
import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { readProcFile } from '../procfs.ts';

/** Programs and libraries of the system, where it has them; links stay links. */
const SYSTEM = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'],
  ...['/nix/store', '/gnu/store'],
];

/** What programs need of /etc: names, certificates, fonts, browser policies. It holds no keys. */
const ETC = [
  ...['resolv.conf', 'hosts', 'host.conf', 'gai.conf', 'nsswitch.conf', 'services', 'protocols'],
  ...['localtime', 'timezone', 'os-release', 'mime.types', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d'],
  ...[
    'ssl/certs',
    'ssl/cert.pem',
    'ssl/openssl.cnf',
    'ssl/ca-bundle.pem',
    'ca-certificates',
    'crypto-policies',
  ],
  ...['pki/ca-trust', 'pki/tls/certs', 'pki/tls/cert.pem', 'pki/tls/openssl.cnf'],
  ...['alternatives', 'static', 'fonts', 'chromium', 'chromium.d', 'opt/chrome/policies', 'perl'],
].map((name) => `/etc/${name}`);

/** Homes of users such as `daemon`: folders of the system, which programs need. */
const SYSTEM_HOME = /^\/(?:usr\/)?(?:local\/)?(?:bin|sbin|lib\w*|share|games)?\/?$/;

/** A mount as the machine has it. */
export interface Mount {
  readonly at: string;
  readonly options: readonly string[];
}

export interface RootOptions {
  /** Files and folders to show besides the system's. */
  readonly readable: readonly string[];
  /** Files and folders to hide where they lie in what is shown. */
  readonly hidden: readonly string[];
  /** The home folder of the service's user, to hide as well. */
  readonly home?: string | undefined;
}

/** A file or folder of the machine that is shown, with all that is mounted in it. */
export interface BoundPath {
  /** Without links. */
  readonly source: string;
  readonly target: string;
  readonly isFolder: boolean;
  /** Options that make it read-only. */
  readonly options: string;
  /** What is mounted in it, each with the options that make it read-only, too. */
  readonly below: readonly { readonly target: string; readonly options: string }[];
}

export interface RootPlan {
  readonly bound: readonly BoundPath[];
  /** Links of the system, to copy. */
  readonly links: readonly string[];
  /** What is hidden in what is shown. */
  readonly hidden: readonly { readonly path: string; readonly isFolder: boolean }[];
  /** What is shown in what is hidden. */
  readonly boundInHidden: readonly BoundPath[];
}

const isIn = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

/** Paths as they are named and as they are reached, those above first; none that does not exist. */
function resolvePaths(paths: readonly string[]): string[] {
  const found = paths.flatMap((path) => {
    try {
      return [path, realpathSync(path)];
    } catch {
      return [];
    }
  });
  return [...new Set(found)].sort();
}

/** None that lies in another. */
const topmost = (paths: readonly string[]): string[] =>
  paths.filter((path, at) => !isIn(path, paths.slice(0, at)));

const unescapeOctal = (field: string): string =>
  field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

/** The mounts that this process sees. */
export const readMounts = (mountinfo = readProcFile('/proc/self/mountinfo') ?? ''): Mount[] =>
  mountinfo
    .trim()
    .split('\n')
    .map((line) => {
      const [, , , , at = '', options = ''] = line.split(' ');
      return { at: unescapeOctal(at), options: options.split(',') };
    });

/** Read-only, with what already restricts the mount: a user namespace may not lift that. */
const readOnlyOptions = (mount: Mount | undefined): string =>
  ['ro', 'nosuid', 'nodev', ...(mount?.options.includes('noexec') ? ['noexec'] : [])].join(',');

/** The mount that a path without links lies on. */
const findMount = (path: string, mounts: readonly Mount[]): Mount | undefined =>
  mounts
    .filter(({ at }) => at === '/' || isIn(path, [at]))
    .reduce<Mount | undefined>(
      (best, one) => (best && best.at.length > one.at.length ? best : one),
      undefined,
    );

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

const isFolder = (path: string): boolean => statSync(path).isDirectory();

export function planRoot({ readable, hidden, home = '/' }: RootOptions, mounts = readMounts()): RootPlan {
  const links = SYSTEM.filter(isLink);
  const system = topmost(resolvePaths(SYSTEM).filter((path) => !links.includes(path)));
  const requested = [...resolvePaths(readable), ...ETC.filter((path) => existsSync(path))].sort();
  const hiddenPaths = topmost(resolvePaths(SYSTEM_HOME.test(home) ? hidden : [...hidden, home]));
  const requestedInHidden = topmost(
    requested.filter((path) => isIn(path, hiddenPaths) && !hiddenPaths.includes(path)),
  );
  const others = requested.filter((path) => !isIn(path, [...system, ...links, ...hiddenPaths]));
  const boundPaths = [...system, ...topmost(others)];
  // What lies in nothing that is shown needs no hiding.
  const hiddenInBound = hiddenPaths.filter((path) => isIn(path, boundPaths));
  return {
    links,
    bound: [...boundPaths, ...requestedInHidden.filter((path) => !isIn(path, hiddenInBound))].map(
      toBoundPath,
    ),
    hidden: hiddenInBound.map((path) => ({ path, isFolder: isFolder(path) })),
    boundInHidden: requestedInHidden.filter((path) => isIn(path, hiddenInBound)).map(toBoundPath),
  };

  function toBoundPath(target: string): BoundPath {
    const source = realpathSync(target);
    const below = mounts.filter(({ at }) => at !== source && isIn(at, [source]));
    return {
      ...{ source, target, isFolder: isFolder(source), options: readOnlyOptions(findMount(source, mounts)) },
      below: below.map((mount) => ({
        target: target + mount.at.slice(source.length),
        options: readOnlyOptions(mount),
      })),
    };
  }
}
