/** Answers a shell that asks how a command line may go on: quickly, without a word of its own, and whatever goes wrong. */
import { reference } from '../generated/reference.ts';
import { complete } from './complete.ts';
import type { UserContext } from './lazy/lookup.ts';
import { type ShellName, shells } from './shells/index.ts';
import type { Completion, CompletionSources, Word } from './types.ts';

/** What the entry hands in. */
export interface ShellRequest {
  /** The shell, and what its script says of the line. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: () => string;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Begins the time that the service has to answer: aborted once a person should wait no longer. */
  readonly deadline: () => AbortSignal;
}

/** Longer descriptions only break the table of a shell. */
const MAX_DESCRIPTION_LENGTH = 100;

/** What a shell may be handed: nothing that it could read as more than a word, such as most names. */
const SAFE_WORD = /^[A-Za-z0-9_][\w.:@+-]{0,199}$/;

/** Foreign text as one line: control characters, and those that turn or hide what stands beside them, are left out. */
const sanitizeDescription = (text: string): string => {
  const line = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const letters = [...line];
  return letters.length > MAX_DESCRIPTION_LENGTH
    ? `${letters.slice(0, MAX_DESCRIPTION_LENGTH - 1).join('')}…`
    : line;
};

const sanitizeWords = (words: readonly Word[]): Word[] =>
  words
    .filter(({ value }) => SAFE_WORD.test(value))
    .map(({ description = '', ...word }) => ({ ...word, description: sanitizeDescription(description) }));

/** What the script of the shell prints to it; empty for a shell that is not known. Waits for nothing but files and, until the deadline, the service. */
export async function answerShell(asked: ShellRequest): Promise<string> {
  const [name = '', ...argv] = asked.argv;
  if (!Object.hasOwn(shells, name)) return '';
  const line = shells[name as ShellName](argv);
  const found: Completion = line.isFile
    ? { kind: 'files', title: 'file', prefix: '', words: [] }
    : await complete(reference, line.line, createSources(asked));
  return line.write(sortWords(found));
}

const sortWords = (found: Completion): Completion =>
  found.isOrdered
    ? found
    : { ...found, words: found.words.toSorted((a, b) => (a.value < b.value ? -1 : 1)), isOrdered: true };

function createSources({ env, home, cwd, version, now, deadline }: ShellRequest): CompletionSources {
  const lookUp = async (
    work: (late: typeof import('./lazy/lookup.ts'), of: UserContext) => Promise<readonly Word[]>,
  ) => {
    try {
      return sanitizeWords(
        await work(await import('./lazy/lookup.ts'), { env, home, cwd: cwd(), version, now }),
      );
    } catch {
      // A damaged file, a key that is missing or meant for another address: none of it is to be told here.
      return [];
    }
  };
  return {
    variables: () => Object.keys(env).filter((name) => /^[A-Za-z_]\w*$/.test(name)),
    profiles: () => lookUp((late, person) => late.profileWords(person)),
    serviceKeys: (options) =>
      lookUp((late, person) => late.serviceKeyWords(options.get('data')?.at(-1), person, deadline)),
    recent: (of, options, typed) =>
      lookUp((late, person) => late.recentWords(of, options, typed, person, deadline)),
  };
}
