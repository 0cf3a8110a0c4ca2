/** Finds runtimes, which are named pairs of Node and Playwright. One is built in; others can be installed. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { RUNTIME_IDS } from '../../contract/enumerations.ts';
import { CannotRun } from '../types.ts';

export const BUILT_IN_RUNTIME = '2026.04';
/** The image that contains older runtimes for the migration of checks (specification, release behaviour). */
export const MIGRATION_IMAGE = '7.0.2-migrate-202409-202604';

export interface InstalledRuntime {
  readonly id: string;
  readonly playwright: string;
  readonly version: string;
  readonly folders: readonly string[];
}

/** The versions of an installed runtime. */
export interface ScriptRuntime {
  readonly id: string;
  readonly nodeVersion: string;
  readonly playwrightVersion: string;
}

export interface RuntimeSearch {
  readonly from: string;
  /** Contains a folder for each other runtime: `2025.04/node_modules/@playwright/test`. */
  readonly folder: string;
}

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

const IN_MIGRATION_IMAGE = ['2024.09', '2025.04', '2026.04'];

/** Normalizes a runtime ID: the API writes `2026.04`, the agent `2026-04`. */
export const toRuntimeId = (written: string): string => written.trim().replace('-', '.');
export const toAgentName = (runtimeId: string): string => runtimeId.replace('.', '-');

export interface UpgradeStep {
  readonly step: number;
  readonly action: string;
  /** Tag of the agent's image after this step; null: unchanged. */
  readonly image: string | null;
  readonly runtimes: readonly string[];
}

export function listUpgradeSteps(from: string): readonly UpgradeStep[] | undefined {
  const id = toRuntimeId(from);
  if (!RUNTIME_IDS.some((known) => known === id)) return undefined;
  const name = toAgentName(id);
  const built = toAgentName(BUILT_IN_RUNTIME);
  const last = {
    action: `Start agents of release 8, which have only ${built}.`,
    image: '8',
    runtimes: [built],
  };
  if (id === BUILT_IN_RUNTIME) return numberSteps([last]);
  const isBundled = IN_MIGRATION_IMAGE.includes(id);
  const runtimes = IN_MIGRATION_IMAGE.map(toAgentName);
  return numberSteps([
    ...(isBundled
      ? []
      : [
          {
            action: `Set the runtime ${IN_MIGRATION_IMAGE[0]} on checks that use ${id}: no newer image has ${name}.`,
            image: null,
            runtimes: [name],
          },
        ]),
    {
      action: `Start agents with the image ${MIGRATION_IMAGE}, which has ${runtimes.join(', ')}.`,
      image: MIGRATION_IMAGE,
      runtimes,
    },
    {
      action: `Set the runtime ${BUILT_IN_RUNTIME} on every check, and run each check once (sonde checks run).`,
      image: MIGRATION_IMAGE,
      runtimes,
    },
    last,
  ]);
}

const numberSteps = (steps: readonly Omit<UpgradeStep, 'step'>[]): UpgradeStep[] =>
  steps.map((step, at) => ({ step: at + 1, ...step }));
