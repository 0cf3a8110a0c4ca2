/**
 * Resolves how a project's packages are installed: by its `installCommand`, or by its lock file. Install scripts of
 * packages run only with an `installCommand`.
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SuiteJob } from '../protocol.ts';

/** The first lock file found determines the command. */
const INSTALL_COMMANDS = [
  ['package-lock.json', 'npm ci --ignore-scripts --no-audit --no-fund'],
  ['npm-shrinkwrap.json', 'npm ci --ignore-scripts --no-audit --no-fund'],
  ['bun.lock', 'bun install --ignore-scripts --frozen-lockfile'],
  ['bun.lockb', 'bun install --ignore-scripts --frozen-lockfile'],
] as const;
const UNSUPPORTED_LOCK_FILES = ['yarn.lock', 'pnpm-lock.yaml'];

type InstallCommand = { readonly command: string };

/**
 * Returns the command, null if there is nothing to install, or a sentence if the command is unknown. Bun can also be
 * the package manager of suites on Node.
 */
export function resolveInstallCommand(folder: string, job: SuiteJob): InstallCommand | string | null {
  if (job.installCommand !== null) return { command: job.installCommand };
  const known = INSTALL_COMMANDS.find(([name]) => existsSync(join(folder, name)));
  if (known) return { command: known[1] };
  const unsupported = UNSUPPORTED_LOCK_FILES.find((name) => existsSync(join(folder, name)));
  if (unsupported) return `cannot install from ${unsupported}: set the installCommand of the suite`;
  return hasDependencies(folder)
    ? {
        command:
          job.engine.kind === 'bun'
            ? 'bun install --ignore-scripts'
            : 'npm install --ignore-scripts --no-audit --no-fund',
      }
    : null;
}

function hasDependencies(folder: string): boolean {
  try {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    return Object.keys({ ...dependencies, ...devDependencies }).length > 0;
  } catch {
    return false;
  }
}

/** Links the runtime's Playwright into a project without its own. */
export function linkPlaywright(folder: string, packages: SuiteJob['packages']): void {
  if (existsSync(join(folder, 'node_modules/@playwright/test/package.json'))) return;
  for (const [name, target] of Object.entries(packages)) {
    const link = join(folder, 'node_modules', name);
    if (existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link);
  }
}
