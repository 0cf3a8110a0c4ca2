/** Finds runtimes, which are named pairs of Node and Playwright. One is built in; others can be installed. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { RUNTIME_IDS } from '../../contract/enumerations.ts';
import { CannotRun } from '../types.ts';

/** The built-in runtime, used by checks without a runtime. */
export const BUILT_IN_RUNTIME = '2026.04';
/** The image that contains older runtimes for the migration of checks (specification, release behaviour). */
export const MIGRATION_IMAGE = '7.0.2-migrate-202409-202604';

export interface InstalledRuntime {
  readonly id: string;
  /** The folder of @playwright/test. */
  readonly playwright: string;
  readonly version: string;
  /** The folders of its packages. */
  readonly folders: readonly string[];
}

export interface RuntimeSearch {
  /** A file in the folder that contains sonde's own node_modules. */
  readonly from: string;
  /** Contains a folder for each other runtime: `2025.04/node_modules/@playwright/test`. */
  readonly folder: string;
}

/** Returns the installed runtimes, newest first. */
export async function findRuntimes({ from, folder }: RuntimeSearch): Promise<InstalledRuntime[]> {
  const runtimes = await Promise.all(
    RUNTIME_IDS.map(async (id) => {
      const at = id === BUILT_IN_RUNTIME ? from : join(folder, id, 'package.json');
      try {
        const manifest = createRequire(at).resolve('@playwright/test/package.json');
        const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
        // An older Playwright is not usable, because its test runner has another location.
        const library = createRequire(manifest).resolve('playwright/lib/runner');
        const core = createRequire(library).resolve('playwright-core/package.json');
        const playwright = dirname(manifest);
        const folders = [playwright, dirname(dirname(dirname(library))), dirname(core)];
        return [{ id, playwright, version, folders }];
      } catch {
        return [];
      }
    }),
  );
  return runtimes.flat();
}

/** Returns the runtime of a check. Throws CannotRun, which lists the installed runtimes, if it is not installed. */
export function selectRuntime(
  runtimeId: string | null | undefined,
  installed: readonly InstalledRuntime[],
): InstalledRuntime {
  const id = runtimeId ?? BUILT_IN_RUNTIME;
  const runtime = installed.find((one) => one.id === id);
  if (runtime !== undefined) return runtime;
  const others = installed.map((one) => one.id).join(', ');
  // RUNTIME_IDS starts with the newest.
  const known: readonly string[] = RUNTIME_IDS;
  const isOlder = known.indexOf(id) > known.indexOf(BUILT_IN_RUNTIME);
  const advice = isOlder
    ? `: move the check to ${BUILT_IN_RUNTIME} with the image ${MIGRATION_IMAGE} (see sonde agent upgrade-path --from ${id.replace('.', '-')})`
    : '';
  throw new CannotRun(`the runtime ${id} is not installed (installed: ${others || 'none'})${advice}`);
}
