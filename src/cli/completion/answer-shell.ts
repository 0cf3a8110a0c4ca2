/** Answers completion requests of shells: fast, and without error messages whatever fails. */
import { oneLine } from '../../base/sanitize.ts';
import { reference } from '../generated/reference.ts';
import { complete } from './complete.ts';
import type { UserContext } from './lazy/lookup.ts';
import type { Completion, CompletionSources, Word } from './shells/completion.ts';
import { type ShellName, shells } from './shells/index.ts';

/** A request, as `bin` passes it. */
export interface ShellRequest {
  /** The shell, and the arguments of its script. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: () => string;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns a signal that is aborted when the user should wait no longer for the service. */
  readonly deadline: () => AbortSignal;
}

/** Longer descriptions break the table of a shell. */
const MAX_DESCRIPTION_LENGTH = 100;

/** Words that no shell can interpret as more than one word. Most names do not match. */
const SAFE_WORD = /^[A-Za-z0-9_][\w.:@+-]{0,199}$/;

const sanitizeWords = (words: readonly Word[]): Word[] =>
  words
    .filter(({ value }) => SAFE_WORD.test(value))
    .map(({ description = '', ...word }) => ({
      ...word,
      description: oneLine(description, MAX_DESCRIPTION_LENGTH),
    }));

/** Returns the answer for the shell's script; empty for an unknown shell. Waits only for files and, until the deadline, the service. */
export async function answerShell(request: ShellRequest): Promise<string> {
  const [name = '', ...argv] = request.argv;
  if (!Object.hasOwn(shells, name)) return '';
  const shellLine = shells[name as ShellName](argv);
  const completion: Completion = shellLine.isFile
    ? { kind: 'files', title: 'file', prefix: '', words: [] }
    : await complete(reference, shellLine.line, createSources(request));
  return shellLine.format(sortWords(completion));
}

const sortWords = (completion: Completion): Completion =>
  completion.isOrdered
    ? completion
    : {
        ...completion,
        words: completion.words.toSorted((a, b) => (a.value < b.value ? -1 : 1)),
        isOrdered: true,
      };

function createSources({ env, home, cwd, version, now, deadline }: ShellRequest): CompletionSources {
  const lookUp = async (
    find: (lookup: typeof import('./lazy/lookup.ts'), user: UserContext) => Promise<readonly Word[]>,
  ) => {
    try {
      return sanitizeWords(
        await find(await import('./lazy/lookup.ts'), { env, home, cwd: cwd(), version, now }),
      );
    } catch {
      // Completion reports no errors, such as a damaged file or a missing key.
      return [];
    }
  };
  return {
    variables: () => Object.keys(env).filter((name) => /^[A-Za-z_]\w*$/.test(name)),
    profiles: () => lookUp((lookup, user) => lookup.profileWords(user)),
    serviceKeys: (options) =>
      lookUp((lookup, user) => lookup.serviceKeyWords(options.get('data')?.at(-1), user, deadline)),
    recent: (of, options, typed) =>
      lookUp((lookup, user) => lookup.recentWords(of, options, typed, user, deadline)),
  };
}
