/**
 * How a project's packages are installed: as it says, or as its lock file does. Packages run no scripts of their own then: a
 * project that needs them says so by its `installCommand`.
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SuiteJob } from '../protocol.ts';

/** The first that is there says it. */
const INSTALL_COMMANDS = [
  ['package-lock.json', 'npm ci --ignore-scripts --no-audit --no-fund'],
  ['npm-shrinkwrap.json', 'npm ci --ignore-scripts --no-audit --no-fund'],
  ['bun.lock', 'bun install --ignore-scripts --frozen-lockfile'],
  ['bun.lockb', 'bun install --ignore-scripts --frozen-lockfile'],
] as const;
const UNSUPPORTED_LOCK_FILES = ['yarn.lock', 'pnpm-lock.yaml'];

type InstallCommand = { readonly command: string };

/** The command; null: there is nothing to install; a sentence where it cannot be known. Bun also serves as package manager of suites on Node. */
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

/** Puts the runtime's Playwright beside a project that brings none. */
export function linkPlaywright(folder: string, packages: SuiteJob['packages']): void {
  if (existsSync(join(folder, 'node_modules/@playwright/test/package.json'))) return;
  for (const [name, target] of Object.entries(packages)) {
    const link = join(folder, 'node_modules', name);
    if (existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link);
  }
}
