/** Writes the files of a manifest into a folder, and asks before it changes a file that exists. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DeclinedError, OutputError, UsageError } from '../../../base/errors.ts';
import { leadsOut } from '../../../base/file-name.ts';
import { writeFileAtomically } from '../../../base/files.ts';
import { plural } from '../../../base/plural.ts';
import { confirm, formatWriteError, unansweredError } from '../../../terminal/index.ts';
import { formatIds } from '../../framework/confirm-change.ts';
import type { Deps } from '../../framework/index.ts';
import type { ManifestFile } from './declared-manifest.ts';

export interface WriteRequest {
  /** As the user named it. */
  readonly folder: string;
  readonly files: readonly ManifestFile[];
  /** Whether existing files may change without a question. */
  readonly yes: boolean;
  /** Runs when the user has agreed, before the first file is written. */
  readonly prepare?: (() => Promise<void>) | undefined;
}

export interface WrittenFiles {
  /** The paths of new and changed files. */
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
  /** The paths of other YAML and JSON files at the top of the folder or of `groups`, which are part of the manifest too. */
  readonly others: readonly string[];
}

/** Writes the files. Throws DeclinedError if the user declines, UsageError without a terminal and `yes`, OutputError if it cannot. */
export async function writeManifestFiles(
  { terminal, signal, cwd }: Pick<Deps, 'terminal' | 'signal' | 'cwd'>,
  { folder, files, yes, prepare }: WriteRequest,
): Promise<WrittenFiles> {
  const root = resolve(cwd, folder);
  const outside = files.find(({ path }) => leadsOut(path));
  if (outside !== undefined)
    throw new UsageError(
      `the source names the file "${outside.path}", which leads out of ${folder}; nothing was written`,
    );
  const changed: ManifestFile[] = [];
  const replaced: string[] = [];
  for (const file of files) {
    const current = await readExisting(join(root, file.path));
    if (current?.equals(Buffer.from(file.content))) continue;
    changed.push(file);
    if (current !== undefined && !file.isGenerated) replaced.push(file.path);
  }
  if (replaced.length > 0 && !yes) {
    const message = `Overwrite ${plural(replaced.length, 'file')} in ${folder} (${formatIds(replaced)})?`;
    const question = { message, flag: '--yes', signal };
    if (!terminal.canAsk)
      throw unansweredError(terminal, { ...question, requirement: 'confirmation required' });
    if (!(await confirm(terminal, question))) throw new DeclinedError('nothing was written');
  }
  try {
    await prepare?.();
  } catch (error) {
    throw toOutputError(folder, error);
  }
  for (const { path, content, isSecret = false } of changed) {
    signal.throwIfAborted();
    await writeOne(join(root, path), content, isSecret);
  }
  const paths = files.map(({ path }) => path);
  const found = [
    ...(await listManifests(root)),
    ...(await listManifests(join(root, 'groups'))).map((name) => `groups/${name}`),
  ];
  return {
    written: changed.map(({ path }) => path),
    unchanged: paths.filter((path) => !changed.some((file) => file.path === path)),
    others: found.filter((path) => !paths.includes(path)),
  };
}

const toOutputError = (path: string, cause: unknown): OutputError =>
  new OutputError(`could not write ${path}: ${formatWriteError(cause)}`, {
    cause,
    hint: 'free the path, or pass another folder with --out',
  });

/** Returns the content of a file; undefined if there is none. */
async function readExisting(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw toOutputError(path, error);
  }
}

async function writeOne(path: string, content: string | Uint8Array, isSecret: boolean): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    if (isSecret) writeFileAtomically(path, String(content));
    else await writeFile(path, content);
  } catch (error) {
    throw toOutputError(path, error);
  }
}

async function listManifests(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => /^[^.].*\.(?:ya?ml|json)$/.test(name)).sort();
}
