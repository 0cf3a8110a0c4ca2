/** Writes the file of KEY=VALUE lines to which an export moves secrets. */
import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isWithin } from '../../../base/contained-files.ts';
import { OutputError, UsageError } from '../../../base/errors.ts';
import { writeFileAtomically } from '../../../base/files.ts';
import { formatWriteError } from '../../../terminal/index.ts';
import { quoteShellWord } from '../../framework/format-command-line.ts';
import type { Deps } from '../../framework/index.ts';
import { runGit } from '../../pack/run-git.ts';

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const quote = (value: string): string =>
  `"${value.replace(/["\\]/g, '\\$&').replace(/[\n\r\t]/g, (character) => ESCAPES[character] ?? '')}"`;

/** Returns the lines of a file of values. */
export const formatValues = (values: Iterable<readonly [string, string]>): string =>
  [...values].map(([name, value]) => `${name}=${quote(value)}\n`).join('');

export interface SecretsFile {
  /** As the user named it. */
  readonly file: string;
  /** Whether a file that exists may be replaced. */
  readonly force: boolean;
  /** The folder of the export, as the user named it. */
  readonly folder: string | undefined;
}

/** Throws UsageError if the file cannot be written, or if git or the plan would read it as a part of the project. */
export async function checkSecretsFile(
  { cwd, env }: Pick<Deps, 'cwd' | 'env'>,
  { file, force, folder }: SecretsFile,
): Promise<void> {
  if (file === '' || file === '-') throw new UsageError('--extract-secrets needs the path of a file');
  const path = resolve(cwd, file);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) throw new UsageError(`${file} is a folder; --extract-secrets needs a file`);
  if (stats && !force) {
    throw new UsageError(`${file} exists; nothing was written`, {
      hint: 'pass --force to replace it, or name another file',
    });
  }
  if (folder !== undefined && isPartOfManifest(resolve(cwd, folder), path)) {
    throw new UsageError(`sonde plan would read ${file} as a part of ${folder}; nothing was written`, {
      hint: `name a file outside the folder, or ${join(folder, 'secrets.env')}`,
    });
  }
  if (await wouldBeCommitted(path, env)) {
    throw new UsageError(`git does not ignore ${file}, so that it could be committed; nothing was written`, {
      hint: `name a file outside the repository, or ignore it first: echo ${quoteShellWord(basename(file))} >> ${quoteShellWord(join(dirname(file), '.gitignore'))}`,
    });
  }
}

/** Writes the values into the file (mode 0600). Throws OutputError if it cannot. */
export function writeSecretsFile(cwd: string, file: string, values: ReadonlyMap<string, string>): void {
  try {
    writeFileAtomically(resolve(cwd, file), formatValues(values));
  } catch (error) {
    throw new OutputError(`could not write ${file}: ${formatWriteError(error)}`, {
      cause: error,
      hint: 'free the path, or pass another file with --extract-secrets',
    });
  }
}

/** Whether a file is in a folder of the manifest, whose scripts and suites can have any name, or is one of its documents. */
const isPartOfManifest = (folder: string, path: string): boolean =>
  isWithin(path, folder) && (relative(folder, path).includes(sep) || /\.(?:ya?ml|json)$/i.test(path));

/** Whether the file is in a git repository that does not ignore it. A repository that git cannot read ignores nothing. */
async function wouldBeCommitted(path: string, env: Deps['env']): Promise<boolean> {
  let parent = dirname(path);
  while (!existsSync(parent)) parent = dirname(parent);
  const real = realpathSync(parent);
  const target = join(real, relative(parent, path));
  if (!isInRepository(real)) return false;
  return (await runGit(real, ['check-ignore', '--quiet', '--', target], env)) === undefined;
}

const isInRepository = (folder: string): boolean =>
  existsSync(join(folder, '.git')) || (dirname(folder) !== folder && isInRepository(dirname(folder)));
