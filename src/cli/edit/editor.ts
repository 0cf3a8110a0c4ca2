/** Opens the user's editor and waits until it exits. */

import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { DeclinedError, type Problem, SondeError, UsageError } from '../../base/errors.ts';
import { writeFileAtomically } from '../../base/files.ts';
import { formatProblem, formatSuggestion } from '../../base/phrases.ts';
import { confirm, sanitizeLine } from '../../terminal/index.ts';
import { formatCommandLine } from '../framework/format-command-line.ts';
import type { Deps, Invocation } from '../framework/index.ts';
import { COMMAND_NOT_FOUND, findProgram, runUserProgram } from '../framework/run-user-program.ts';
import { deleteFile, type FileTarget, saveText } from './undo-files.ts';

/** Editors to try if none is configured, in this order. `editor` is Debian's name for the user's choice. */
const FALLBACK_EDITORS = ['editor', 'vi', 'vim', 'nano'];

/** Returns VISUAL (unless the terminal is `dumb`), EDITOR or an installed fallback. Throws UsageError if there is none. */
export async function findEditor({ env, platform }: Pick<Deps, 'env' | 'platform'>): Promise<string> {
  const isDumb = env.TERM === undefined || env.TERM === 'dumb';
  const chosen = (isDumb ? '' : env.VISUAL?.trim()) || env.EDITOR?.trim();
  if (chosen) return chosen;
  if (platform === 'win32') return 'notepad';
  if (isDumb) throw noEditor('this terminal cannot run one');
  const found = await findProgram({ env }, FALLBACK_EDITORS);
  if (found !== undefined) return found;
  throw noEditor(`none of ${FALLBACK_EDITORS.join(', ')} is installed`);
}

const noEditor = (why: string): UsageError =>
  new UsageError(`no editor configured, and ${why}`, { hint: 'set one, for example: export EDITOR=nano' });

/**
 * Opens a file in an editor. Throws UsageError if the editor cannot start, DeclinedError if it fails, and the signal's reason after an abort.
 */
export async function openEditor(deps: Deps, editor: string, path: string): Promise<void> {
  try {
    const code = await runUserProgram(deps, editor, path);
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
  }
}

interface EditOptions<R> {
  readonly target: Pick<FileTarget, 'kind' | 'id'>;
  /** The initial text. */
  readonly text: string;
  /** The command that sends a saved edit, without the file: `status-pages put 12`. */
  readonly resendCommand: readonly string[];
  /** Validates and sends the text of the file `path`. The user may edit again after an error. */
  readonly send: (text: string, path: string) => Promise<R>;
}

/** Statuses that another edit may fix. */
const FIXABLE_STATUSES = [400, 409, 413, 422];

/** The prefix of lines that sonde adds at the top and removes again. */
const NOTICE = '#! ';

/** An editor that ends sooner did not wait for its window, in ms. */
const INSTANT_MS = 1000;

/**
 * Opens the editor and sends the edit; offers to edit again after an error. Returns the result of `send`. Undefined: the text
 * is unchanged. Throws other errors, and prints the path of the saved edit.
 */
export async function editAndSend<R>(
  deps: Deps,
  line: Pick<Invocation, 'globals'>,
  { target, text, resendCommand, send }: EditOptions<R>,
): Promise<R | undefined> {
  const { terminal, clock } = deps;
  const editor = await findEditor(deps);
  const path = await saveText(deps, { folder: 'edits', ...target }, text);
  const read = () => readFile(path).catch(() => undefined);
  let isDone = false;
  try {
    for (;;) {
      const opened = clock.monotonic();
      await openEditor(deps, editor, path);
      const written = await read();
      if (written === undefined) throw new UsageError(`${path} does not exist after the edit`);
      const edited = written.toString();
      if (withoutNotice(edited) === text) {
        isDone = true;
        const isInstant = clock.monotonic() - opened < INSTANT_MS;
        await terminal.note(
          `No changes; nothing was sent.${isInstant ? ` If your editor opens a window, set it to wait, for example: EDITOR="code --wait".` : ''}`,
        );
        return undefined;
      }
      try {
        if (!isUtf8(written)) throw notUtf8();
        const sent = await send(edited, path);
        isDone = true;
        return sent;
      } catch (error) {
        if (!(await confirmRetry(deps, path, error))) throw error;
        // Rewriting would destroy text in another encoding.
        if (isUtf8(written)) await writeNotice(deps, path, withNotice(edited, path, error as SondeError));
      }
    }
  } finally {
    const left = isDone ? undefined : (await read())?.toString();
    if (left === undefined || withoutNotice(left) === text) await deleteFile(path);
    else {
      const again = formatCommandLine(line, ...resendCommand, '-f', path);
      await terminal.lines(`sonde saved your edit. To send it, run:\n  ${again}`);
    }
  }
}

const notUtf8 = (): UsageError =>
  new UsageError('the edit is not valid UTF-8; nothing was sent', {
    hint: 'save the file as UTF-8',
  });

/** Writes atomically, so that a full disk does not damage the edit. */
async function writeNotice({ terminal }: Deps, path: string, text: string): Promise<void> {
  try {
    writeFileAtomically(path, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    await terminal.warn(`could not write the problems at the top of your edit (${code})`);
  }
}

/** Prints the problems and asks whether to edit again, if that can help. Throws DeclinedError after a no. */
async function confirmRetry({ terminal, signal }: Deps, path: string, error: unknown): Promise<boolean> {
  if (signal.aborted || !(error instanceof SondeError)) return false;
  const declined = error.kind === 'declined';
  const { status } = error as { readonly status?: number };
  if (
    !declined &&
    error.kind !== 'usage' &&
    !(error.kind === 'api' && FIXABLE_STATUSES.includes(status ?? 0))
  ) {
    return false;
  }
  if (!declined) {
    await terminal.error(error.message);
    for (const problem of error.details)
      await terminal.lines(formatFileProblem(problem, path), undefined, '  ');
  }
  const again = await confirm(terminal, {
    message: 'Edit again?',
    flag: '--yes',
    signal,
    // A user who declined may be done; a user who made a mistake usually wants to fix it.
    default: !declined,
  });
  if (again || declined) return again;
  throw new DeclinedError('the edit was not sent; nothing was changed', { cause: error });
}

/** Formats a problem in one line. For the file itself, shows only the line number, plus `shift`. */
function formatFileProblem({ place, message, nearest }: Problem, path: string, shift = 0): string {
  const number = place.startsWith(`${path}:`) ? Number(place.slice(path.length + 1)) : Number.NaN;
  const where = Number.isNaN(number) ? place : `line ${number + shift}:`;
  return sanitizeLine(
    `${formatProblem({ place: where, message })}${formatSuggestion(...(nearest === undefined ? [] : [nearest]))}`,
  );
}

const linesOf = (text: string): readonly string[] => text.split('\n');

/** Returns the text without the lines that sonde added. */
function withoutNotice(text: string): string {
  const lines = linesOf(text);
  const first = lines.findIndex((line) => !line.startsWith(NOTICE.trimEnd()));
  return first < 0 ? '' : lines.slice(first).join('\n');
}

/** Returns the text with the problems as comments at the top; line numbers account for these comments. */
function withNotice(
  text: string,
  path: string,
  error: Pick<SondeError, 'message' | 'details' | 'kind'>,
): string {
  const rest = withoutNotice(text);
  const before = linesOf(text).length - linesOf(rest).length;
  if (error.kind === 'declined') return rest;
  const { details } = error;
  const shift = 2 + Math.max(1, details.length) - before;
  const notice = [
    'sonde did not send this file:',
    ...(details.length > 0
      ? details.map((problem) => formatFileProblem(problem, path, shift))
      : [sanitizeLine(error.message)]),
    'Fix the problems, save and quit. sonde removes these lines.',
  ];
  return `${notice.map((sentence) => `${NOTICE}${sentence}\n`).join('')}${rest}`;
}
