/** Defines the types of completion that all shells share. */
import type { ResourceName } from '../../framework/options.ts';

/** A command line without the program's name, with the position of the cursor. */
export interface CompletionLine {
  /** The words before the word at the cursor. */
  readonly before: readonly string[];
  /** The word at the cursor, up to the cursor. */
  readonly current: string;
  /** The words after it. */
  readonly after: readonly string[];
}

/** A possible word. */
export interface Word {
  readonly value: string;
  readonly description?: string | undefined;
  /** Whether it is a name instead of an ID; it is offered only after the user types its first letter. */
  readonly isName?: boolean | undefined;
}

/** Possible words, or a request to the shell to complete files or folders. */
export interface Completion {
  readonly kind: 'words' | 'files' | 'folders';
  /** The heading, for shells that show headings. */
  readonly title: string;
  /** The part of the word at the cursor that does not change: `--locations=eu-west-1,`. */
  readonly prefix: string;
  readonly words: readonly Word[];
  /** Whether the word continues, so that no space follows. */
  readonly isOpen?: boolean | undefined;
  /** Whether the words are in order; if not, they are sorted by value. */
  readonly isOrdered?: boolean | undefined;
}

/** Lookups of files and the service. They never reject and never prompt. */
export interface CompletionSources {
  readonly profiles: () => Promise<readonly Word[]>;
  /** Returns the keys of the service with the data folder that the line names. */
  readonly serviceKeys: (options: ReadonlyMap<string, readonly string[]>) => Promise<readonly Word[]>;
  /** Returns the names of environment variables. */
  readonly variables: () => readonly string[];
  /** Returns IDs and names of a resource. If any begins with the typed text, the list includes it. */
  readonly recent: (
    of: ResourceName,
    options: ReadonlyMap<string, readonly string[]>,
    typed: string,
  ) => Promise<readonly Word[]>;
}
