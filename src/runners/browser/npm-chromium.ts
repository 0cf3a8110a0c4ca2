/** Unpacks the Chromium of the npm package `@sparticuz/chromium` into a folder from which every user can run it. */
import { constants, createReadStream, createWriteStream } from 'node:fs';
import {
  access,
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { extract } from 'tar-fs';
import { isProgram, type ProgramEnd, runProgram } from './run-program.ts';

const NAME = '@sparticuz/chromium';
/** The program to start in an unpacked folder. */
const LAUNCHER = 'chromium-headless-shell';
/** Part of the folder name. Increase it when the content of the folder changes. */
const LAYOUT = 1;
const UNPACK_MS = 300_000;
/** Age at which unfinished folders belong to a killed process, in ms. */
const STALE_MS = 60 * 60_000;
const UNFINISHED = '.unpacking-';

/** The package has libraries and fonts for a minimal machine, which the launcher finds beside itself. */
const LAUNCHER_SCRIPT = `#!/bin/sh
here=\${0%/*}
export LD_LIBRARY_PATH="$here/al2023/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export FONTCONFIG_FILE="\${FONTCONFIG_FILE:-$here/fonts.conf}"
exec "$here/chromium" "$@"
`;
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/** The package is installed, but its browser does not work on this machine. */
export class UnusableChromium extends Error {
  constructor(problem: string) {
    super(`the Chromium of ${NAME} ${problem}`);
    this.name = 'UnusableChromium';
  }
}

export interface NpmChromium {
  readonly entry: string;
  /** Target folder if the `node_modules` of the package is read-only. */
  readonly folder: string;
  readonly path: string | undefined;
}

/**
 * Returns the path of the browser, and unpacks it first if necessary. A folder gets its final name only when its
 * browser has started, so any number of processes can call this concurrently. Throws an Error that says why the browser
 * cannot be unpacked or started.
 */
export async function ensureNpmChromium(chromium: NpmChromium): Promise<string> {
  const { root, version } = await readPackage(chromium.entry);
  const name = `chromium-${version}-${LAYOUT}`;
  // A folder beside the package lets all users of the package share one copy.
  const folders = [join(dirname(dirname(root)), '.cache/sonde'), chromium.folder];
  for (const folder of folders) {
    const launcher = join(folder, name, LAUNCHER);
    if (await isProgram(launcher)) return launcher;
  }
  const folder = await firstWritable(folders);
  const finished = join(folder, name);
  const launcher = join(finished, LAUNCHER);
  await removeStale(folder);
  const unfinished = await mkdtemp(join(folder, UNFINISHED));
  try {
    await unpackChromium(unfinished, root);
    await assertStarts(unfinished, chromium);
    await rename(unfinished, finished).catch(async () => {
      // Another process was faster, or files of a finished folder were removed.
      if (await isProgram(launcher)) return;
      await rm(finished, { recursive: true, force: true });
      await rename(unfinished, finished);
    });
    return launcher;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** The archives of the package, and the folders that they are unpacked to, beside the browser. */
const ARCHIVES = [
  ['fonts.tar.br', 'fonts'],
  ['swiftshader.tar.br', ''],
  ['al2023.tar.br', 'al2023'],
] as const;

/**
 * Unpacks the browser of a package into an empty folder, and returns its path. It runs nothing of the package. Throws
 * UnusableChromium, after which the folder is useless. Rejects with the signal's reason.
 */
export async function unpackChromium(folder: string, root: string, signal?: AbortSignal): Promise<string> {
  const timeout = AbortSignal.timeout(UNPACK_MS);
  const inTime = { signal: signal ? AbortSignal.any([signal, timeout]) : timeout };
  const unpack = (name: string, target: NodeJS.WritableStream) =>
    pipeline(createReadStream(join(root, 'bin', name)), createBrotliDecompress(), target, inTime);
  try {
    await unpack('chromium.br', createWriteStream(join(folder, 'chromium'), { mode: 0o700, flags: 'wx' }));
    for (const [name, to] of ARCHIVES) await unpack(name, extract(join(folder, to), { chown: false }));
  } catch (error) {
    signal?.throwIfAborted();
    throw new UnusableChromium(`cannot be unpacked: ${firstLine(error)}`);
  }
  await writeFile(join(folder, 'fonts.conf'), FONTS);
  const launcher = join(folder, LAUNCHER);
  await writeFile(launcher, LAUNCHER_SCRIPT, { mode: 0o755 });
  await shareFolder(folder);
  return launcher;
}

/** Throws UnusableChromium if the browser of an installed package does not start. */
async function assertStarts(folder: string, { path }: NpmChromium): Promise<void> {
  const env = { PATH: path, HOME: folder, TMPDIR: folder };
  const signal = AbortSignal.timeout(UNPACK_MS);
  const start = await runProgram([join(folder, LAUNCHER), '--version'], { cwd: folder, env, signal });
  if (start.code !== 0) throw new UnusableChromium(`does not start${describeFailure(start)}`);
}

/**
 * Lets every user read and run the files, but not write them: as root, the package keeps the user IDs of its authors.
 * Syncs the files, so that a power failure leaves no partial file.
 */
export async function shareFolder(folder: string): Promise<void> {
  const { uid, gid } = await stat(folder);
  await chmod(folder, 0o755);
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    const stats = await lstat(path);
    const isFolder = stats.isDirectory();
    if (!isFolder && !stats.isFile()) continue;
    const file = await open(path, 'r');
    try {
      const isProgram = (stats.mode & 0o100) !== 0;
      await file.chown(uid, gid);
      await file.chmod(isFolder || isProgram ? 0o755 : 0o644);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

async function readPackage(entry: string): Promise<{ readonly root: string; readonly version: string }> {
  for (let root = dirname(entry); root !== dirname(root); root = dirname(root)) {
    const text = await readFile(join(root, 'package.json'), 'utf8').catch(() => '{}');
    const { name, version } = JSON.parse(text) as { name?: string; version?: string };
    if (name === NAME && version !== undefined) return { root, version };
  }
  throw new Error(`${NAME} has no version: ${entry}`);
}

async function firstWritable(folders: readonly string[]): Promise<string> {
  let problem: unknown;
  for (const folder of folders) {
    try {
      await mkdir(folder, { recursive: true });
      await access(folder, constants.W_OK);
      return folder;
    } catch (error) {
      problem = error;
    }
  }
  throw new Error(`${NAME} cannot create a folder to unpack to: ${firstLine(problem)}`);
}

async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(UNFINISHED)) continue;
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined);
    if (stats && Date.now() - stats.mtimeMs > STALE_MS) await rm(path, { recursive: true, force: true });
  }
}

function describeFailure({ code, lines }: ProgramEnd): string {
  const line = lines.find((one) => /^\w*Error: /.test(one)) ?? lines.at(-1);
  if (line !== undefined) return `: ${line}`;
  return code === null ? ': it was killed' : `: exit code ${code}`;
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
