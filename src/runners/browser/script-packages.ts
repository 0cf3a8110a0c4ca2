/** Finds the packages that scripts can import. npm installs them when a script first needs one. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { access, cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotRun } from '../core/runner.ts';
import { installPackages } from '../packages/install-packages.ts';

/** Where and how npm installs packages. */
export interface NpmInstallation {
  /** Contains a folder for each installation. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called before npm starts, with what it installs. */
  readonly onInstall?: (packages: string) => void;
}

export interface ScriptPackages {
  /** Contains a folder for each package, once they are installed. */
  readonly folder: string;
  /** Installs the packages unless they are there. Throws CannotRun. */
  install(): Promise<void>;
}

/**
 * Returns the packages beside the programs, which a clone has, or those of the runtimes folder. Their folder has a name by
 * their checksums, so that each version of sonde uses exactly its own.
 */
export function createScriptPackages(
  programFolder: string,
  { folder, env, onInstall }: NpmInstallation,
): ScriptPackages {
  const beside = join(programFolder, 'packages');
  if (existsSync(beside)) return { folder: beside, install: async () => {} };
  const project = join(programFolder, 'script-packages');
  const lock = readFileSync(join(project, 'package-lock.json'));
  const target = join(folder, `packages-${createHash('sha256').update(lock).digest('hex').slice(0, 8)}`);
  const packages = join(target, 'packages');
  const isInstalled = () =>
    access(packages).then(
      () => true,
      () => false,
    );
  async function install(): Promise<void> {
    if (await isInstalled()) return;
    onInstall?.('the packages that scripts import');
    await installPackages({
      folder: target,
      env,
      isInstalled,
      writeProject: (temporary) => cp(project, temporary, { recursive: true }),
      async prepare(temporary, run) {
        await run('node', 'bundle.mjs');
        await rm(join(temporary, 'node_modules'), { recursive: true });
      },
    }).catch((error: Error) => {
      throw new CannotRun(
        `npm cannot install the packages that scripts import (${error.message}). Give this machine access to an npm registry, or copy ${target} from another machine`,
      );
    });
  }
  let installation: Promise<void> | undefined;
  return {
    folder: packages,
    install() {
      installation ??= install().finally(() => {
        installation = undefined;
      });
      return installation;
    },
  };
}
