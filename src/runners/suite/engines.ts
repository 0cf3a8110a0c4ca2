/** What suites run on: the Node that runs sonde, or a Node or Bun that npm brings, kept beside the runtimes. */
import { execFile } from 'node:child_process';
import { access, chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { CannotRun } from '../types.ts';
import type { EngineInCell } from './protocol.ts';

/** Those that suites can ask for (specification, release behaviour), by name: the package that brings it, and its program. */
const ENGINES = {
  'node-22': { kind: 'node', install: 'node@22', program: 'node/bin/node' },
  'node-24': { kind: 'node', install: 'node@24', program: 'node/bin/node' },
  'node-26': { kind: 'node', install: 'node@26', program: 'node/bin/node' },
  'bun-1.3': { kind: 'bun', install: 'bun@1.3', program: '.bin/bun' },
} as const;
type EngineName = keyof typeof ENGINES;

/** How long npm may take to bring one, in ms. */
const INSTALL_MS = 300_000;
const run = promisify(execFile);

export interface WantedEngine {
  readonly engine?: 'node' | 'bun' | null;
  /** `22`, `22.4` or `1.3.1`: the part that tells engines apart counts. */
  readonly engineVersion?: string | null;
}

export interface EnginePlaces {
  /** Holds a folder for each: `node-22/node_modules/node`. */
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
  const programOf = (name: EngineName) => join(folder, name, 'node_modules', ENGINES[name].program);

  async function bring(name: EngineName): Promise<void> {
    const part = await mkdtemp(join(folder, `.${name}-`));
    try {
      const args = [
        'install',
        '--prefix',
        part,
        '--no-audit',
        '--no-fund',
        '--no-save',
        ENGINES[name].install,
      ];
      await run('npm', args, { cwd: part, env: seen, timeout: INSTALL_MS });
      // Programs in cells run it under other users.
      await chmod(part, 0o755);
      await rename(part, join(folder, name)).catch(async (error: unknown) => {
        // Another process was faster.
        if (!(await isThere(programOf(name)))) throw error;
      });
    } catch (error) {
      const why = error instanceof Error ? lastLine(error.message) : String(error);
      const byHand = `npm install --prefix ${join(folder, name)} ${ENGINES[name].install}`;
      throw new CannotRun(`the engine ${name} is not here and npm could not bring it (${why}): ${byHand}`);
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
      return { kind: ENGINES[name].kind, program, name };
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

/** Undefined: the Node that runs sonde. */
function nameOf({ engine, engineVersion }: WantedEngine): EngineName | undefined {
  const version = engineVersion ?? (engine === 'bun' ? '1.3' : null);
  if (!engine || version === null) return undefined;
  const [major, minor] = version.split('.');
  const name = engine === 'node' ? `node-${major}` : `bun-${major}.${minor ?? '3'}`;
  if (Object.hasOwn(ENGINES, name)) return name as EngineName;
  const offered = Object.keys(ENGINES).join(', ');
  throw new CannotRun(`suites do not run on ${engine} ${version} here; there are ${offered}`);
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
