/** What a shell asks, and what it is answered: the same for all of them. */

import type { ResourceName } from '../framework/options.ts';

/** A command line without the name of the program, and where the cursor stands in it. */
export interface CompletionLine {
  /** The whole words before the one at the cursor. */
  readonly before: readonly string[];
  /** The word at the cursor, up to it. */
  readonly current: string;
  /** The words after it. */
  readonly after: readonly string[];
}

/** One way to go on. */
export interface Word {
  readonly value: string;
  readonly description?: string | undefined;
  /** A name in place of the ID: offered once it is begun. */
  readonly isName?: boolean | undefined;
}

/** Ways to go on: words, or the files and folders that the shell itself knows best. */
export interface Completion {
  readonly kind: 'words' | 'files' | 'folders';
  /** What they are, for shells that show headings. */
  readonly title: string;
  /** What stands at the head of the word at the cursor and stays: `--locations=eu-west-1,`. */
  readonly prefix: string;
  readonly words: readonly Word[];
  /** Whether the word goes on after it: no space follows. */
  readonly isOpen?: boolean | undefined;
  /** Whether they stay in this order; else by the alphabet. */
  readonly isOrdered?: boolean | undefined;
}

/** What must be looked up while the person waits. None of it rejects, and none asks anybody. */
export interface CompletionSources {
  readonly profiles: () => Promise<readonly Word[]>;
  /** Keys of the service over the data folder that the line names. */
  readonly serviceKeys: (options: ReadonlyMap<string, readonly string[]>) => Promise<readonly Word[]>;
  /** Names of the variables of the environment. */
  readonly variables: () => readonly string[];
  /** Returns IDs and names of a resource. If any begins with the typed text, the list includes it. */
  readonly recent: (
    of: ResourceName,
    options: ReadonlyMap<string, readonly string[]>,
    typed: string,
  ) => Promise<readonly Word[]>;
}
