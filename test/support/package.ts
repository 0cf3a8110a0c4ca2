/** The package that `npm pack` makes, and npm as it installs it on a machine that has nothing else. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Settings of npm that a machine may need, wherever the home of a test is. */
const MACHINE_SETTINGS = [
  ...['cache', 'userconfig', 'globalconfig', 'registry'],
  ...['proxy', 'https-proxy', 'noproxy', 'cafile'],
];

const QUIET = ['--no-audit', '--no-fund', '--no-update-notifier', '--prefer-offline'];

/** Returns npm's settings of this machine by their names, those alone that have a value. */
export async function npmSettings(): Promise<Readonly<Record<string, string>>> {
  const all = JSON.parse((await run('npm', ['config', 'list', '--json'])).stdout);
  const named = MACHINE_SETTINGS.filter((name) => all[name] && String(all[name]) !== '');
  return Object.fromEntries(named.map((name) => [name, String(all[name])]));
}

/** Returns the environment in which npm keeps its settings and its cache in a home of a test. */
export async function npmEnv(): Promise<Readonly<Record<string, string>>> {
  const quiet = { audit: 'false', fund: 'false', 'update-notifier': 'false', 'prefer-offline': 'true' };
  const settings = Object.entries({ ...(await npmSettings()), ...quiet });
  const env = settings.map(([name, value]) => [`npm_config_${name.replaceAll('-', '_')}`, value]);
  const { NODE_EXTRA_CA_CERTS } = process.env;
  return { ...Object.fromEntries(env), ...(NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS } : {}) };
}

/** Packs `dist` into a folder, and returns the path of the tarball. */
export async function packSonde(folder: string): Promise<string> {
  // The build is there, and other tests use it.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [{ filename }] = JSON.parse((await run('npm', args)).stdout);
  return join(folder, filename);
}

/** Installs the newest release of a major version of Node into a folder, and returns the path of its program. */
export async function installNode(major: number, folder: string): Promise<string> {
  // The package of npm's name `node` is only a script that picks this one.
  const name = `node-${process.platform}-${process.arch}`;
  await run('npm', ['install', '--prefix', folder, '--ignore-scripts', ...QUIET, `${name}@${major}`]);
  return join(folder, 'node_modules', name, 'bin/node');
}

/** Installs npm into a folder, and returns the path of its package. */
export async function installNpm(folder: string): Promise<string> {
  await run('npm', ['install', '--prefix', folder, '--ignore-scripts', ...QUIET, 'npm@11']);
  return join(folder, 'node_modules/npm');
}

/** Programs of other packages that sonde or its tests can use, which a machine with nothing but Node does not have. */
const OPTIONAL_PROGRAMS =
  /^(?:chrom|google-chrome|bun|k(?:not|dig)|postgres|initdb|pg_|psql|tmux|xmllint|strace|man|mandoc|dbus|gnome-keyring|secret-tool|fish|zsh|ping|tcpdump|tracer|make)/;

/** Returns a PATH that has the given Node before all, and the machine's programs without `OPTIONAL_PROGRAMS`. */
export function barePath(node: string, folder: string): string {
  mkdirSync(folder);
  symlinkSync(node, join(folder, 'node'));
  const taken = new Set(['node']);
  for (const place of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of namesIn(place)) {
      if (taken.has(name) || OPTIONAL_PROGRAMS.test(name)) continue;
      taken.add(name);
      symlinkSync(join(place, name), join(folder, name));
    }
  }
  return folder;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** sonde as its package installs it for all users of a machine. */
export interface InstalledSonde {
  /** The folder of the package. */
  readonly folder: string;
  readonly prefix: string;
  /** What npm printed. */
  readonly said: string;
  /** Runs the installed command. It rejects where sonde ends with another exit code than 0. */
  run(...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }>;
}

/** Installs a tarball for all users, with the given Node, below a new folder that holds prefix and home. */
export async function installSonde(tarball: string, node: string, place: string): Promise<InstalledSonde> {
  const [prefix, home] = [join(place, 'prefix'), join(place, 'home')];
  mkdirSync(home, { recursive: true });
  const machine = { PATH: barePath(node, join(place, 'bin')), HOME: home, LANG: 'C.UTF-8' };
  // sonde runs npm for the packages that scripts need.
  const env = { ...(await npmEnv()), ...machine };
  const { stdout, stderr } = await run('npm', ['install', '--global', '--prefix', prefix, tarball], { env });
  return {
    ...{ prefix, said: `${stdout}${stderr}` },
    folder: join(prefix, 'lib/node_modules/sonde'),
    run: (...args) => run(join(prefix, 'bin/sonde'), args, { env, cwd: home }),
  };
}
