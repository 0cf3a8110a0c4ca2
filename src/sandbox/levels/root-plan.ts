/** Plans the root of a cell: what it shows of the machine, how restricted, and what it hides in that. */
import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { readProcFile } from '../cell/procfs.ts';

/** Programs and libraries of the system, if they exist. Links stay links. */
const SYSTEM = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'],
  ...['/nix/store', '/gnu/store'],
];

/** Files of /etc that programs need: names, certificates, fonts, browser policies. They contain no keys. */
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

/** Home folders of users such as `daemon`, which are system folders that programs need. */
const SYSTEM_HOME = /^\/(?:usr\/)?(?:local\/)?(?:bin|sbin|lib\w*|share|games)?\/?$/;

export interface Mount {
  readonly at: string;
  readonly options: readonly string[];
}

export interface RootOptions {
  readonly readable: readonly string[];
  /** Files and folders to hide within visible ones. */
  readonly hidden: readonly string[];
  readonly home?: string | undefined;
}

/** A visible file or folder of the machine, with all mounts below it. */
export interface BoundPath {
  readonly source: string;
  readonly target: string;
  readonly isFolder: boolean;
  /** Mount options that make it read-only. */
  readonly options: string;
  /** Mounts below it, each with its read-only options. */
  readonly below: readonly { readonly target: string; readonly options: string }[];
}

export interface RootPlan {
  readonly bound: readonly BoundPath[];
  readonly links: readonly string[];
  readonly hidden: readonly { readonly path: string; readonly isFolder: boolean }[];
  /** Visible paths within hidden ones. */
  readonly boundInHidden: readonly BoundPath[];
}

const isIn = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

function resolvePaths(paths: readonly string[]): string[] {
  const existing = paths.flatMap((path) => {
    try {
      return [path, realpathSync(path)];
    } catch {
      return [];
    }
  });
  return [...new Set(existing)].sort();
}

/** Omits paths that are within others. */
const topmost = (paths: readonly string[]): string[] =>
  paths.filter((path, at) => !isIn(path, paths.slice(0, at)));

const unescapeOctal = (field: string): string =>
  field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

export const readMounts = (mountinfo = readProcFile('/proc/self/mountinfo') ?? ''): Mount[] =>
  mountinfo
    .trim()
    .split('\n')
    .map((line) => {
      const [, , , , at = '', options = ''] = line.split(' ');
      return { at: unescapeOctal(at), options: options.split(',') };
    });

/** Returns read-only options. A user namespace may not remove the restrictions of a mount. */
const readOnlyOptions = (mount: Mount | undefined): string =>
  ['ro', 'nosuid', 'nodev', ...(mount?.options.includes('noexec') ? ['noexec'] : [])].join(',');

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
  // Paths outside all visible ones need no hiding.
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
      source,
      target,
      isFolder: isFolder(source),
      options: readOnlyOptions(findMount(source, mounts)),
      below: below.map((mount) => ({
        target: target + mount.at.slice(source.length),
        options: readOnlyOptions(mount),
      })),
    };
  }
}
