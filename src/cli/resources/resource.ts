/** A resource of the API as its commands speak of it: what it is called, its columns, and how one of it is shown. */
import type { Section } from '../../terminal/card/card.ts';
import type { Column, Tone, View } from '../../terminal/index.ts';
import type { Deps, Invocation, ResourceName } from '../framework/index.ts';

/** `T`: one of it, as the API answers. */
export interface Resource<T> {
  /** The first word of its commands: `snippets`. */
  readonly word: string;
  /** One of it and several, as people call them. */
  readonly noun: string;
  readonly plural: string;
  /** What its id names, for questions and for Tab. */
  readonly thing: ResourceName;
  /** The path parameter that the id fills. */
  readonly param: string;
  /** What that is called in help, where not `id`. */
  readonly placeholder?: string;
  /** Of a row in a list. */
  readonly columns: readonly Column<T>[];
  /** Of one alone: what a pipe and `--fields` show, and what its card tells. */
  readonly fields: readonly Column<T>[];
  readonly idOf: (item: T) => string | number | undefined;
  /** What people call it; nothing where its id is its name. */
  readonly nameOf?: (item: T) => string | null | undefined;
  /** How it stands: the API's word. */
  readonly stateOf?: (item: T) => string | undefined;
  /** Where the state's own tone isn't meant, or the state has none. */
  readonly toneOf?: (item: T) => Tone;
  /** Adds what a person wants to see on its card and the answer does not hold, such as names for ids. */
  readonly dress?: (deps: Deps, item: T) => Promise<T>;
  /** What a card has below its facts. */
  readonly sections?: (item: T) => readonly Section[];
  /** The commands that a card leads on to: the words before the id, and what they do. */
  readonly leadsTo?: (item: T) => readonly (readonly [does: string, ...words: string[]])[];
  /** Instead of all that: how one of it is printed. */
  readonly view?: (deps: Deps, line: ShownLine, item: T) => View<T>;
}

/** What of a line the printing of one needs. */
export type ShownLine = Pick<Invocation, 'globals' | 'output'>;

/** `snippet 12`, or with its name: `snippet Sign in (12)`. */
export function calledBy<T>({ noun, idOf, nameOf }: Resource<T>, item: T): string {
  const [id, name] = [idOf(item), nameOf?.(item)];
  return name ? `${noun} ${name} (${id})` : `${noun} ${id}`;
}
