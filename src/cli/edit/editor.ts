/** Opens the editor of a person's choice and waits for its end. */
import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { DeclinedError, UsageError } from '../../base/errors.ts';
import { withoutKey } from '../../profiles/key-host.ts';
import type { Deps } from '../framework/index.ts';

/** What is looked for where nobody chose one, in this order: Debian's name for what its user chose comes first. */
const FALLBACK_EDITORS = ['editor', 'vi', 'vim', 'nano'];

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** One program and its words: no list of commands, no variable set for it, no word that only the shell itself knows. */
const SIMPLE_COMMAND = /^[^\s:=;&|<>(){}`]+(?:\s[^;&|<>(){}`]*)?$/;

/** What a shell ends with where there is no such program. */
const COMMAND_NOT_FOUND = 127;

/** How long an editor that is told to stop may take to put the screen in order, in ms. */
const EXIT_GRACE_MS = 1000;

/**
 * The person's editor: VISUAL (not where the terminal is `dumb`), EDITOR, or what there is of the usual ones. Throws
 * UsageError where there is none.
 */
export async function findEditor({ env, platform }: Pick<Deps, 'env' | 'platform'>): Promise<string> {
  const isDumb = env.TERM === undefined || env.TERM === 'dumb';
  const chosen = (isDumb ? '' : env.VISUAL?.trim()) || env.EDITOR?.trim();
  if (chosen) return chosen;
  if (platform === 'win32') return 'notepad';
  if (isDumb) throw noEditor('this terminal cannot run one');
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const name of FALLBACK_EDITORS) {
    for (const folder of folders) if (await isExecutable(join(folder, name))) return name;
  }
  throw noEditor(`none of ${FALLBACK_EDITORS.join(', ')} is installed`);
}

const noEditor = (why: string): UsageError =>
  new UsageError(`no editor configured, and ${why}`, { hint: 'set one, for example: export EDITOR=nano' });

/**
 * Opens a file. The editor is a command line as git reads it, so that `code --wait` works; a path with spaces is taken as
 * it is where it is a program. Throws UsageError where it cannot be started, DeclinedError where it fails, the signal's
 * reason where the program is told to stop.
 */
export async function openEditor(deps: Deps, editor: string, path: string): Promise<void> {
  const { terminal, signal, env } = deps;
  signal.throwIfAborted();
  const options = {
    // Results may go into a pipe: the screen is then behind stderr.
    stdio: [0, terminal.stdoutIsTTY ? 1 : 2, 2] as number[],
    env: withoutKey(env),
  };
  // What is told to stop is then the editor itself, and none is left behind.
  const execPrefix = SIMPLE_COMMAND.test(editor) ? 'exec ' : '';
  const child =
    deps.platform === 'win32'
      ? spawn(`${editor} "${path}"`, { ...options, shell: true })
      : editor.includes(' ') && (await isExecutable(editor))
        ? spawn(editor, [path], options)
        : spawn('/bin/sh', ['-c', `${execPrefix}${editor} "$@"`, editor, path], options);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const code = await Promise.race([ended, rejectAfterAbort(deps)]);
    // It may have ended by the same Ctrl-C.
    signal.throwIfAborted();
    if (code === COMMAND_NOT_FOUND) {
      throw new UsageError(`editor ${editor} not found`, { hint: 'set VISUAL or EDITOR to another editor' });
    }
    if (code !== 0) {
      throw new DeclinedError(`the editor exited with ${code ?? 'a signal'}; nothing was changed`);
    }
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause;
    throw new UsageError(`cannot start the editor ${editor}: ${cause.message}`, {
      cause,
      hint: 'set VISUAL or EDITOR to another editor',
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Rejects with the signal's reason, a moment after it. */
function rejectAfterAbort({ signal, clock }: Pick<Deps, 'signal' | 'clock'>): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener(
      'abort',
      () => void clock.sleep(EXIT_GRACE_MS).then(() => reject(signal.reason)),
      {
        once: true,
      },
    );
  });
}
