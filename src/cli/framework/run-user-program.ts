/** Runs a program that the user chose, such as an editor or a browser, and waits until it exits. */
import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { onAbort } from '../../base/abort.ts';
import { withoutKey } from '../../profiles/key-host.ts';
import type { Deps } from './types.ts';

/** A program with arguments: no command list, no variable assignment, no shell syntax. */
const SIMPLE_COMMAND = /^[^\s:=;&|<>(){}`]+(?:\s[^;&|<>(){}`]*)?$/;

/** The exit code of a shell for an unknown program. */
export const COMMAND_NOT_FOUND = 127;

/** Time for a program to restore the screen after SIGTERM, in ms. */
const EXIT_GRACE_MS = 1000;

export const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Returns the first of some programs that is installed. */
export async function findProgram(
  { env }: Pick<Deps, 'env'>,
  names: readonly string[],
): Promise<string | undefined> {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const name of names) {
    for (const folder of folders) if (await isExecutable(join(folder, name))) return name;
  }
  return undefined;
}

/**
 * Runs a program with one more argument, and returns its exit code; null if a signal ended it. `program` is a command line
 * as git reads it, such as `code --wait`, or a path of a program, which may contain spaces. Throws the signal's reason
 * after an abort, and the error of the system if the program cannot start.
 */
export async function runUserProgram(deps: Deps, program: string, argument: string): Promise<number | null> {
  const { terminal, signal, env, platform } = deps;
  signal.throwIfAborted();
  const options = {
    // stdout may be a pipe: the terminal is then on stderr.
    stdio: [0, terminal.stdoutIsTTY ? 1 : 2, 2] as number[],
    env: withoutKey(env),
  };
  // With exec, SIGTERM reaches the program instead of the shell.
  const execPrefix = SIMPLE_COMMAND.test(program) ? 'exec ' : '';
  const child =
    platform === 'win32'
      ? spawn(`${program} "${argument}"`, { ...options, shell: true })
      : program.includes(' ') && (await isExecutable(program))
        ? spawn(program, [argument], options)
        : spawn('/bin/sh', ['-c', `${execPrefix}${program} "$@"`, program, argument], options);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  const removeListener = onAbort(signal, () => child.kill('SIGTERM'));
  try {
    const code = await Promise.race([ended, rejectAfterAbort(deps)]);
    // The same Ctrl-C may have ended the program.
    signal.throwIfAborted();
    return code;
  } finally {
    removeListener();
  }
}

/** Rejects with the signal's reason, EXIT_GRACE_MS after the abort. */
function rejectAfterAbort({ signal, clock }: Pick<Deps, 'signal' | 'clock'>): Promise<never> {
  return new Promise((_, reject) => {
    onAbort(signal, () => void clock.sleep(EXIT_GRACE_MS).then(() => reject(signal.reason)));
  });
}
