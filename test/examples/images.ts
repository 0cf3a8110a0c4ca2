/** Builds the images of the examples with Buildah on a base of Debian and Node, and runs them as a container runtime does. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installNode, installNpm, npmSettings } from '../support/package.ts';

const exec = promisify(execFile);
const DOCKERFILE = 'examples/Dockerfile';

/** What a container runtime leaves to root unless it is told otherwise. */
const CAPABILITIES = [
  ...['chown', 'dac_override', 'fowner', 'fsetid', 'kill', 'setgid', 'setuid', 'setpcap'],
  ...['net_bind_service', 'net_raw', 'sys_chroot', 'mknod', 'audit_write', 'setfcap'],
];

/** Run in a new mount and process namespace: gives a root what a container has, and starts a program there. */
const START = `
root=$1; shift
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
exec chroot "$root" "$@"
`;

export interface Image {
  /** The entry point with the default arguments. */
  readonly command: readonly string[];
  /** The command of the health check. */
  readonly health: readonly string[];
  /** Starts a program as process 1 of a container. */
  start(argv: readonly string[], more?: Readonly<Record<string, string>>): Container;
  /** Runs a program to its end in the same root; rejects where it fails. */
  run(argv: readonly string[], more?: Readonly<Record<string, string>>): Promise<string>;
}

export interface Container {
  /** The exit code. */
  readonly ended: Promise<number | null>;
  /** The name of process 1. */
  name(): Promise<string>;
  /** Sends SIGTERM to process 1. */
  stop(): Promise<void>;
}

export interface Builder {
  build(target: string): Promise<Image>;
  /** Removes all images and containers. */
  close(): Promise<void>;
}

/** Makes the base image that the Dockerfile names. Images lie in memory, in a mount namespace that ends with the builder. */
export async function openBuilder(): Promise<Builder> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-images-'));
  const storage = join(folder, 'storage');
  await mkdir(storage);
  const configuration = join(folder, 'storage.conf');
  await writeFile(
    configuration,
    `[storage]\ndriver="overlay"\ngraphroot="${storage}/graph"\nrunroot="${storage}/run"\n`,
  );
  const holder = await holdMounts(storage);
  const within = ['--target', String(holder.pid), '--mount', '--root', `--wdns=${process.cwd()}`];
  const run = async (...argv: readonly string[]) => {
    const env = { ...process.env, CONTAINERS_STORAGE_CONF: configuration, TMPDIR: storage };
    const { stdout } = await exec('nsenter', [...within, ...argv], { env, maxBuffer: 64 * 1024 * 1024 });
    return stdout.trim();
  };
  const settings = await npmSettings();
  const containers: Container[] = [];

  async function makeBase(): Promise<void> {
    const text = await readFile(DOCKERFILE, 'utf8');
    const [node, debian] = ['NODE', 'DEBIAN'].map(
      (name) => new RegExp(`^ARG ${name}=(\\S+)$`, 'm').exec(text)?.[1],
    );
    const files = join(folder, 'base');
    await layOutNode(Number(node), join(folder, 'node'), files, settings);
    const tarball = join(storage, 'debian.tar');
    await run('mmdebstrap', '--quiet', '--variant=minbase', String(debian), tarball);
    const base = await run('buildah', 'from', 'scratch');
    for (const part of [tarball, files]) await run('buildah', 'add', '--quiet', base, part, '/');
    await run(
      'buildah',
      'config',
      '--env',
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      base,
    );
    await run('buildah', 'commit', '--quiet', '--rm', base, `docker.io/library/node:${node}-${debian}-slim`);
    await rm(files, { recursive: true });
  }

  async function build(target: string): Promise<Image> {
    const tag = `localhost/sonde-${target}`;
    await run(
      ...['buildah', 'build', '--isolation', 'chroot', '--network', 'host', '--pull-never', '--layers'],
      ...['--format', 'docker', '--file', DOCKERFILE, '--target', target, '--tag', tag],
      ...['--volume', `${settings.cache}:/root/.npm`, '.'],
    );
    const { config } = JSON.parse(await run('buildah', 'inspect', '--type', 'image', tag)).Docker;
    const root = await run('buildah', 'mount', await run('buildah', 'from', tag));
    const user = config.User || '0';
    const [form, ...words] = config.Healthcheck.Test as string[];
    const argvOf = (argv: readonly string[], more: Readonly<Record<string, string>> = {}) => [
      ...[...within, 'unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-ec', START, 'sh', root],
      ...['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--inh-caps=-all'],
      ...[`--bounding-set=-all,${CAPABILITIES.map((name) => `+${name}`).join(',')}`, 'env', '-i'],
      ...(config.Env as string[]),
      ...Object.entries(more).map(([key, value]) => `${key}=${value}`),
      ...argv,
    ];
    return {
      command: [...config.Entrypoint, ...config.Cmd],
      health: form === 'CMD-SHELL' ? ['sh', '-c', ...words] : words,
      run: async (argv, more) => (await exec('nsenter', argvOf(argv, more))).stdout,
      start(argv, more) {
        const container = containerOf(spawn('nsenter', argvOf(argv, more), { stdio: 'ignore' }));
        containers.push(container);
        return container;
      },
    };
  }

  const builder: Builder = {
    build,
    async close() {
      for (const container of containers) await container.stop();
      await Promise.all(containers.map(({ ended }) => ended));
      holder.release();
      await holder.ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await makeBase();
  } catch (error) {
    await builder.close();
    throw error;
  }
  return builder;
}

/** Writes Node and npm where Node's own images have them, and the machine's settings of npm for root. */
async function layOutNode(
  major: number,
  place: string,
  files: string,
  { cache, userconfig, globalconfig, cafile, ...settings }: Readonly<Record<string, string>>,
): Promise<void> {
  const prefix = join(files, 'usr/local');
  for (const folder of [join(files, 'root'), join(prefix, 'bin'), join(prefix, 'lib/node_modules')])
    await mkdir(folder, { recursive: true });
  await cp(await installNode(major, place), join(prefix, 'bin/node'));
  const npm = 'lib/node_modules/npm';
  await cp(await installNpm(place), join(prefix, npm), { recursive: true });
  for (const name of ['npm', 'npx']) await symlink(`../${npm}/bin/${name}-cli.js`, join(prefix, 'bin', name));
  const authorities = process.env.NODE_EXTRA_CA_CERTS ?? cafile;
  if (authorities) await cp(authorities, join(files, 'root/authorities.pem'), { dereference: true });
  const lines = Object.entries({
    ...settings,
    ...(authorities ? { cafile: '/root/authorities.pem' } : {}),
    'prefer-offline': 'true',
  }).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(files, 'root/.npmrc'), lines.join(''));
}

interface Holder {
  readonly pid: number;
  readonly ended: Promise<void>;
  release(): void;
}

/** Starts a process whose mount namespace has a file system in memory at `folder`, for as long as the process lives. */
async function holdMounts(folder: string): Promise<Holder> {
  const script = `mount -t tmpfs tmpfs ${folder}; echo ready; read gone || true`;
  const child = spawn('unshare', ['--mount', 'sh', '-ec', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`unshare ended with ${code}`)));
  });
  return { pid: child.pid ?? 0, ended, release: () => child.stdin.end() };
}

function containerOf(child: ChildProcess): Container {
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  /** The one child of `unshare`: process 1 as the container sees it. */
  const first = async () =>
    Number(await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').catch(() => ''));
  return {
    ended,
    name: async () => (await readFile(`/proc/${await first()}/comm`, 'utf8')).trim(),
    async stop() {
      const pid = await first();
      if (pid > 0) process.kill(pid, 'SIGTERM');
    },
  };
}
