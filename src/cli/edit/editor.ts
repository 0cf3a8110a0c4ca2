/** Opens the user's editor and waits until it exits. */
import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { DeclinedError, UsageError } from '../../base/errors.ts';
import { withoutKey } from '../../profiles/key-host.ts';
import type { Deps } from '../framework/index.ts';

/** Editors to try if none is configured, in this order. `editor` is Debian's name for the user's choice. */
const FALLBACK_EDITORS = ['editor', 'vi', 'vim', 'nano'];

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** A program with arguments: no command list, no variable assignment, no shell syntax. */
const SIMPLE_COMMAND = /^[^\s:=;&|<>(){}`]+(?:\s[^;&|<>(){}`]*)?$/;

/** The exit code of a shell for an unknown program. */
const COMMAND_NOT_FOUND = 127;

/** Time for an editor to restore the screen after SIGTERM, in ms. */
const EXIT_GRACE_MS = 1000;

/** Returns VISUAL (unless the terminal is `dumb`), EDITOR or an installed fallback. Throws UsageError if there is none. */
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
 * Opens a file. `editor` is a command line as git reads it, such as `code --wait`, or a path of a program, which may contain
 * spaces. Throws UsageError if the editor cannot start, DeclinedError if it fails, and the signal's reason after an abort.
 */
export async function openEditor(deps: Deps, editor: string, path: string): Promise<void> {
  const { terminal, signal, env } = deps;
  signal.throwIfAborted();
  const options = {
    // stdout may be a pipe: the terminal is then on stderr.
    stdio: [0, terminal.stdoutIsTTY ? 1 : 2, 2] as number[],
    env: withoutKey(env),
  };
  // With exec, SIGTERM reaches the editor instead of the shell.
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
    // The same Ctrl-C may have ended the editor.
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

/** Rejects with the signal's reason, EXIT_GRACE_MS after the abort. */
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
