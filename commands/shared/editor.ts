/** Lets a person change a text in the editor of their choice. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeclinedError, UsageError } from '../../src/base/errors.ts';
import { withoutKey } from '../../src/profiles/key-host.ts';
import type { Deps } from '../kernel/index.ts';

/** A text in a private file, being edited. */
export interface Draft {
  readonly path: string;
  /** Opens the editor and waits for its end. */
  edit(): Promise<void>;
  /** What stands in the file now; undefined where there is none any more. */
  read(): Promise<string | undefined>;
  remove(): Promise<void>;
}

/** Puts a text into a file that nobody else can read. `name` is the file's own, for the editor to know its kind. */
export async function openDraft(deps: Deps, name: string, text: string): Promise<Draft> {
  const folder = await mkdtemp(join(deps.env.TMPDIR || tmpdir(), 'sonde-'));
  const path = join(folder, name);
  await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  return {
    path,
    edit: () => runEditor(deps, path),
    read: () => readFile(path, 'utf8').catch(() => undefined),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The editor's command line is a shell's, as git reads it: `code --wait` works. */
async function runEditor({ env, terminal, platform }: Deps, path: string): Promise<void> {
  const windows = platform === 'win32';
  const editor = env.VISUAL || env.EDITOR || (windows ? 'notepad' : 'vi');
  const child = windows
    ? spawn(`${editor} "${path}"`, { shell: true, stdio: 'inherit', env: withoutKey(env) })
    : spawn('/bin/sh', ['-c', `${editor} "$@"`, editor, path], {
        // Results may go into a pipe: the screen is then behind stderr.
        stdio: [0, terminal.stdoutIsTTY ? 1 : 2, 2],
        env: withoutKey(env),
      });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  }).catch((cause: Error) => {
    throw new UsageError(`the editor ${editor} cannot be started: ${cause.message}`, {
      cause,
      hint: 'VISUAL or EDITOR names another',
    });
  });
  if (code === 127) {
    throw new UsageError(`there is no editor ${editor}`, { hint: 'VISUAL or EDITOR names another' });
  }
  if (code !== 0) throw new DeclinedError(`the editor ended with ${code ?? 'a signal'}; nothing was changed`);
}
