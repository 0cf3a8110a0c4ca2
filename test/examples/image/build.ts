/** Carries out a Dockerfile without Docker: over a copy of this machine's own root, in a mount namespace, which is gone afterwards. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { linesOf, type Stage } from './read.ts';

const run = promisify(execFile);

export interface Image {
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly command: readonly string[];
  readonly health: readonly string[] | undefined;
  /** Starts a program in it as its user, with its environment and more. */
  start(argv: readonly string[], more?: Readonly<Record<string, string>>): ChildProcess;
  /** Runs a program to its end; rejects where it fails. */
  run(argv: readonly string[], more?: Readonly<Record<string, string>>): Promise<string>;
  remove(): Promise<void>;
}

/** Whether this machine lets a root be laid over its own. */
export async function canBuild(): Promise<boolean> {
  try {
    const image = await openRoot();
    await image.close();
    return true;
  } catch {
    return false;
  }
}

interface Root {
  /** Runs in it, as root. */
  readonly enter: readonly string[];
  close(): Promise<void>;
}

/** A root of its own over the machine's: what is written to it lies in memory. */
async function openRoot(): Promise<Root> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-image-'));
  const mounts = [
    `mount -t tmpfs tmpfs ${folder}`,
    `mkdir ${folder}/up ${folder}/work ${folder}/root`,
    `mount -t overlay overlay -o lowerdir=/,upperdir=${folder}/up,workdir=${folder}/work ${folder}/root`,
    `mount -t proc proc ${folder}/root/proc`,
    `mount --rbind /dev ${folder}/root/dev`,
    `mount -t tmpfs -o mode=1777 tmpfs ${folder}/root/tmp`,
    'echo ready',
    'read gone',
  ];
  const holder = spawn('unshare', ['--mount', 'sh', '-ec', mounts.join('; ')], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => holder.once('exit', () => resolve()));
  let said = '';
  await new Promise<void>((resolve, reject) => {
    holder.stdout.on('data', () => resolve());
    holder.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    holder.once('error', reject);
    holder.once('exit', (code) => reject(new Error(`no root of its own (${code}): ${said.trim()}`)));
  });
  const enter = ['nsenter', `--mount=/proc/${holder.pid}/ns/mnt`, 'chroot', join(folder, 'root')];
  return {
    enter,
    async close() {
      holder.stdin.end('\n');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Builds a stage. `given`: what a build is told from outside (proxies, a registry); it does not stay in the image. */
export async function build(
  stages: readonly Stage[],
  target: string,
  given: Readonly<Record<string, string>>,
): Promise<Image> {
  const root = await openRoot();
  const env: Record<string, string> = { PATH: process.env.PATH ?? '', HOME: '/root', LANG: 'C.UTF-8' };
  const args: Record<string, string> = {};
  let user = 'root';
  let entrypoint: string[] = [];
  let command: string[] = [];
  let health: string[] | undefined;
  const filled = (text: string) =>
    text.replace(/\$\{(\w+)\}|\$(\w+)/g, (whole, one, other) => ({ ...env, ...args })[one ?? other] ?? whole);
  const as = (argv: readonly string[], who: string, more: Readonly<Record<string, string>>) => [
    ...root.enter.slice(0, -1),
    ...(who === 'root' ? [] : [`--userspec=${who}`]),
    root.enter.at(-1) ?? '',
    ...['env', '-i', ...Object.entries({ ...env, ...more }).map(([key, value]) => `${key}=${value}`)],
    ...argv,
  ];
  try {
    for (const { name, text, line } of linesOf(stages, target).all) {
      if (name === 'ENV')
        for (const [, key = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g)) env[key] = filled(value);
      if (name === 'ARG') {
        const [key = '', value = ''] = text.split('=');
        args[key] = value;
      }
      if (name === 'USER') user = text;
      if (name === 'ENTRYPOINT') entrypoint = JSON.parse(text);
      if (name === 'CMD') command = JSON.parse(text);
      if (name === 'HEALTHCHECK') health = JSON.parse(text.slice(text.indexOf('CMD ') + 4));
      if (name !== 'RUN') continue;
      const [program = '', ...rest] = as(['sh', '-c', filled(text)], user, given);
      await run(program, rest, { maxBuffer: 64 * 1024 * 1024 }).catch((error: { stderr?: string }) => {
        throw new Error(`line ${line} failed: ${text}\n${error.stderr ?? ''}`);
      });
    }
  } catch (error) {
    await root.close();
    throw error;
  }
  const of = (argv: readonly string[], more: Readonly<Record<string, string>> = {}) => as(argv, user, more);
  return {
    ...{ env, user, health },
    command: [...entrypoint, ...command],
    start(argv, more) {
      const [program = '', ...rest] = of(argv, more);
      return spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
    },
    async run(argv, more) {
      const [program = '', ...rest] = of(argv, more);
      return (await run(program, rest)).stdout;
    },
    remove: root.close,
  };
}
