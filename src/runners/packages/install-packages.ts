/** Installs pinned packages with npm for programs in cells. */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const INSTALL_MS = 300_000;

/** Variables that configure access to package registries. */
export const NETWORK_VARIABLES = [
  ...['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'https_proxy', 'http_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'npm_config_registry'],
];
const NPM_VARIABLES = new Set([
  ...NETWORK_VARIABLES,
  'PATH',
  'HOME',
  'USERPROFILE',
  'APPDATA',
  'SystemRoot',
  'TMPDIR',
  'TEMP',
]);

/** Runs a program in the folder of an installation. Rejects if it fails. */
type RunProgram = (program: string, ...args: readonly string[]) => Promise<unknown>;

export interface PackageInstallation {
  /** The folder that will contain `node_modules`. Its parent exists. */
  readonly folder: string;
  /** Writes a manifest and a lock with checksums, which `npm ci` installs. */
  readonly writeProject: (folder: string) => Promise<void>;
  /** Environment of the service. It contains keys, so npm gets only the variables that it needs. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Changes the installed packages before they are used. */
  readonly prepare?: (folder: string, run: RunProgram) => Promise<void>;
  /** Returns whether the folder is complete. Another process may be faster. */
  readonly isInstalled: () => Promise<boolean>;
}

/**
 * Installs packages into a folder, which appears when it is complete. npm may run as root, so it installs only the pinned
 * packages and runs none of their scripts. Throws an Error with the reason of npm.
 */
export async function installPackages(installation: PackageInstallation): Promise<void> {
  const { folder, writeProject, env, prepare, isInstalled } = installation;
  const temporary = await mkdtemp(join(dirname(folder), `.${basename(folder)}-`));
  const npmEnvironment = Object.fromEntries(
    Object.entries(env).filter(([name]) => NPM_VARIABLES.has(name) || /^npm_config_/i.test(name)),
  );
  const run: RunProgram = (program, ...args) =>
    promisify(execFile)(program, args, { cwd: temporary, env: npmEnvironment, timeout: INSTALL_MS });
  try {
    await writeProject(temporary);
    await run('npm', 'ci', '--prefix', temporary, '--ignore-scripts', '--no-audit', '--no-fund');
    await prepare?.(temporary, run);
    // Programs in cells run as other users.
    await chmod(temporary, 0o755);
    await rename(temporary, folder).catch(async (error: unknown) => {
      if (!(await isInstalled())) throw error;
    });
  } catch (error) {
    throw new Error(error instanceof Error ? reasonOf(error.message) : String(error), { cause: error });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Fields of an error that npm prints before its sentence. */
const FIELDS = /^(?:code|syscall|errno|path|dest|command)\b/;

/** Returns the first sentence of npm's error, which later lines only explain; otherwise the last line. */
function reasonOf(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const errors = lines.flatMap((line) => /^npm (?:error|ERR!) (\S.*)$/.exec(line)?.[1] ?? []);
  return errors.find((line) => !FIELDS.test(line)) ?? lines.filter((line) => line !== '').at(-1) ?? '';
}
