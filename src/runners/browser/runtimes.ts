/** Finds runtimes, which are named pairs of Node and Playwright. npm installs the default one when a check needs it. */
import { access, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { RUNTIME_IDS } from '../../contract/enumerations.ts';
import { CannotRun } from '../core/runner.ts';
import { installPackages } from '../packages/install-packages.ts';
import { writePinnedProject } from '../packages/pinned-package.ts';
import { PLAYWRIGHT } from './playwright-packages.ts';
import { createScriptPackages, type NpmInstallation, type ScriptPackages } from './script-packages.ts';

export const BUILT_IN_RUNTIME = '2026.04';
/** The image that contains older runtimes for the migration of checks (specification, release behaviour). */
export const MIGRATION_IMAGE = '7.0.2-migrate-202409-202604';

export interface InstalledRuntime {
  readonly id: string;
  readonly playwright: string;
  readonly core: string;
  readonly version: string;
  readonly folders: readonly string[];
}

/** The versions of an installed runtime. */
export interface ScriptRuntime {
  readonly id: string;
  readonly nodeVersion: string;
  readonly playwrightVersion: string;
}

/** `folder` contains a folder for each runtime: `2025.04/node_modules/@playwright/test`. */
export interface RuntimeSearch extends NpmInstallation {
  /** A module that may find the Playwright of the default runtime. */
  readonly from: string;
}

/** The oldest Playwright whose test runner and compiler sonde can load. */
export const MIN_PLAYWRIGHT = '1.60.0';

/** A runtime whose Playwright is too old. */
type OldRuntime = Pick<InstalledRuntime, 'id' | 'version'>;

async function findRuntime(
  id: string,
  { from, folder }: RuntimeSearch,
): Promise<InstalledRuntime | OldRuntime | undefined> {
  const beside = id === BUILT_IN_RUNTIME ? await locateRuntime(id, from) : undefined;
  if (beside !== undefined && isUsable(beside)) return beside;
  const packages = join(folder, id, 'node_modules');
  try {
    // Node remembers a missing package, so it looks for one only after npm has put all of them there.
    await Promise.all(PACKAGES.map((name) => access(join(packages, name, 'package.json'))));
  } catch {
    return beside;
  }
  return locateRuntime(id, join(folder, id, 'package.json'));
}

async function locateRuntime(id: string, from: string): Promise<InstalledRuntime | OldRuntime | undefined> {
  let version: string | undefined;
  try {
    const manifest = createRequire(from).resolve('@playwright/test/package.json');
    version = (JSON.parse(await readFile(manifest, 'utf8')) as { version: string }).version;
    const library = createRequire(manifest).resolve('playwright/lib/runner');
    const core = dirname(createRequire(library).resolve('playwright-core/package.json'));
    const playwright = dirname(manifest);
    return { id, playwright, core, version, folders: [playwright, dirname(dirname(dirname(library))), core] };
  } catch {
    return version === undefined ? undefined : { id, version };
  }
}

const PACKAGES = PLAYWRIGHT.map(({ name }) => name);
const isUsable = (runtime: InstalledRuntime | OldRuntime): runtime is InstalledRuntime =>
  'folders' in runtime;

/** The runtimes of this machine. Each call looks for those that were installed since. */
export interface Runtimes {
  readonly list: () => Promise<readonly InstalledRuntime[]>;
  /** Returns the runtime of a check; null: the default one, which npm installs if it is missing. Throws CannotRun, with the command that installs it. */
  readonly select: (runtimeId: string | null | undefined) => Promise<InstalledRuntime>;
  /** Returns the packages that scripts of all runtimes can import. `programFolder`: as in `BrowserSettings`. */
  readonly packages: (programFolder: string) => ScriptPackages;
}

export function createRuntimes(search: RuntimeSearch): Runtimes {
  async function find() {
    const found = await Promise.all(RUNTIME_IDS.map((id) => findRuntime(id, search)));
    return found.filter((runtime) => runtime !== undefined);
  }
  function install(id: string): Promise<void> {
    search.onInstall?.(`Playwright ${PLAYWRIGHT[0].version}`);
    return installPackages({
      folder: join(search.folder, id),
      writeProject: (temporary) => writePinnedProject(temporary, ...PLAYWRIGHT),
      env: search.env,
      isInstalled: async () => (await findRuntime(id, search)) !== undefined,
    });
  }
  let installation: Promise<void> | undefined;
  async function findOrInstall(id: string) {
    const found = await find();
    const isMissing = !found.some((one) => one.id === id);
    if (id !== BUILT_IN_RUNTIME || !isMissing) return found;
    installation ??= install(id).finally(() => {
      installation = undefined;
    });
    await installation.catch((error: Error) => {
      const why = `the runtime ${id} is not installed, and npm cannot install it (${error.message})`;
      throw new CannotRun(`${why}. Install it with: ${installCommand(id, search.folder)}`);
    });
    return find();
  }
  let packages: ScriptPackages | undefined;
  return {
    packages(programFolder) {
      packages ??= createScriptPackages(programFolder, search);
      return packages;
    },
    list: async () => (await find()).filter(isUsable),
    async select(runtimeId) {
      const id = runtimeId ?? BUILT_IN_RUNTIME;
      const found = await findOrInstall(id);
      const runtime = found.find((one) => one.id === id);
      if (runtime !== undefined && isUsable(runtime)) return runtime;
      const usable = found.filter(isUsable).map((one) => one.id);
      throw new CannotRun(explainMissing(id, runtime, usable, search.folder));
    },
  };
}

/** Returns the command that installs a runtime. */
function installCommand(id: string, folder: string): string {
  const version = id === BUILT_IN_RUNTIME ? PLAYWRIGHT[0].version : MIN_PLAYWRIGHT;
  return `npm install --ignore-scripts --prefix ${join(folder, id)} @playwright/test@${version}`;
}

/** Explains why a runtime is not usable, and how to install it. */
function explainMissing(
  id: string,
  old: OldRuntime | undefined,
  usable: readonly string[],
  folder: string,
): string {
  const problem =
    old === undefined
      ? `the runtime ${id} is not installed (installed: ${usable.join(', ') || 'none'})`
      : `the runtime ${id} has Playwright ${old.version}, which is older than ${MIN_PLAYWRIGHT}`;
  // RUNTIME_IDS starts with the newest.
  const known: readonly string[] = RUNTIME_IDS;
  const isOlder = known.indexOf(id) > known.indexOf(BUILT_IN_RUNTIME);
  const move = isOlder
    ? `. Or move the check to ${BUILT_IN_RUNTIME} with the image ${MIGRATION_IMAGE} (see sonde agent upgrade-path --from ${toAgentName(id)})`
    : '';
  return `${problem}. Install it with: ${installCommand(id, folder)}${move}`;
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
