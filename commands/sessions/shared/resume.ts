/** The command line that takes up waiting again: what was chosen is repeated, and many ids are kept in a file. */
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../../src/base/folder.ts';
import { commandLine, shellWord } from '../../../src/cli/framework/command-line.ts';
import type { Deps, Invocation } from '../../../src/cli/framework/types.ts';
import { dataFolders } from '../../../src/profiles/folders.ts';

/** More ids make no line that a person pastes. */
const MAX_IDS = 20;

/** What `--timeout` is where it is not given. */
export const DEFAULT_TIMEOUT_MS = 600_000;

/** What a gate was held with. */
export interface GateLine extends Pick<Invocation, 'globals'> {
  readonly options: {
    /** Milliseconds. */
    readonly timeout: number;
    readonly failOn: string | undefined;
    readonly failFast: boolean;
    readonly report: readonly { readonly kind: string; readonly file: string }[];
  };
}

/** The line, in a form that can be pasted into a shell; `words`: the command before its ids. */
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
  const line = (named: readonly string[]) => commandLine({ globals }, ...words.split(' '), ...named, ...more);
  const file = ids.length > MAX_IDS ? await saveIds(deps, ids) : undefined;
  return file === undefined ? line(ids) : `${line(['-'])} < ${shellWord(file)}`;
}

/** A duration as `--timeout` takes it: `10m`, `90s`, `1500ms`. */
export const formatDuration = (ms: number): string =>
  ms % 60_000 === 0 ? `${ms / 60_000}m` : ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;

/** No session runs for so long, in ms: a file of ids that is older has served. */
const ID_FILE_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** Keeps the ids in the user's state folder, one a line, and gives the path; nothing where that cannot be. */
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
    // The line then holds them all.
    return undefined;
  }
}

/** Removes what was kept before `before`, in ms since the epoch. */
async function deleteOldFiles(folder: string, before: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.txt'));
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      if ((await stat(path)).mtimeMs < before) await rm(path, { force: true });
    }),
  );
}
