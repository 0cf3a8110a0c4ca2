/** Formats the command that resumes waiting, with the same options. Saves many IDs in a file. */
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../../src/base/files.ts';
import { formatCommandLine, quoteShellWord } from '../../../src/cli/framework/format-command-line.ts';
import type { Deps, Invocation } from '../../../src/cli/framework/types.ts';
import { dataFolders } from '../../../src/profiles/folders.ts';

/** More IDs are too long to paste. */
const MAX_IDS = 20;

/** The default of `--timeout`. */
export const DEFAULT_TIMEOUT_MS = 600_000;

/** The options of the interrupted command. */
export interface GateLine extends Pick<Invocation, 'globals'> {
  readonly options: {
    /** Milliseconds. */
    readonly timeout: number;
    readonly failOn: string | undefined;
    readonly failFast: boolean;
    readonly report: readonly { readonly kind: string; readonly file: string }[];
  };
}

/** Returns the command for a shell. `words`: the command without IDs. */
export async function formatResumeCommand(
  deps: Pick<Deps, 'env' | 'home' | 'clock' | 'self'>,
  { globals, options }: GateLine,
  words: string,
  ids: readonly string[],
): Promise<string> {
  const { timeout, failOn, failFast, report } = options;
  const more = [
    ...(timeout === DEFAULT_TIMEOUT_MS ? [] : ['--timeout', formatDuration(timeout)]),
    ...(failOn === undefined ? [] : ['--fail-on', failOn]),
    ...(failFast ? ['--fail-fast'] : []),
    ...report.flatMap(({ kind, file }) => ['--report', `${kind}:${file}`]),
  ];
  const line = (named: readonly string[]) =>
    formatCommandLine({ globals }, ...words.split(' '), ...named, ...more);
  const file = ids.length > MAX_IDS ? await saveIds(deps, ids) : undefined;
  return file === undefined ? line(ids) : `${line(['-'])} < ${quoteShellWord(file)}`;
}

/** Formats a duration for `--timeout`: `10m`, `90s`, `1500ms`. */
export const formatDuration = (ms: number): string =>
  ms % 60_000 === 0 ? `${ms / 60_000}m` : ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;

/** Retention of files with IDs in ms; no session runs that long. */
const ID_FILE_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** Saves the IDs in the user's state folder, one per line. Returns the path; undefined if it cannot. */
async function saveIds(
  { env, home, clock, self }: Pick<Deps, 'env' | 'home' | 'clock' | 'self'>,
  ids: readonly string[],
): Promise<string | undefined> {
  const folder = join(dataFolders(env, home).state, 'waiting');
  const time = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(':', '-');
  const path = join(folder, `${time}-${self.pid}.txt`);
  try {
    makeFolder(folder);
    await writeFile(path, ids.map((id) => `${id}\n`).join(''), { mode: 0o600 });
    await deleteOldFiles(folder, clock.now() - ID_FILE_RETENTION_MS).catch(() => {});
    return path;
  } catch {
    // The command then lists all IDs.
    return undefined;
  }
}

/** Deletes files older than `before`, in ms since the epoch. */
async function deleteOldFiles(folder: string, before: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.txt'));
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      if ((await stat(path)).mtimeMs < before) await rm(path, { force: true });
    }),
  );
}
