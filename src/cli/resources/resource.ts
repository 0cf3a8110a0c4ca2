/** Describes a resource for its commands: its names, its columns, and how one item is printed. */
import type { Endpoint } from '../../contract/index.ts';
import type { Section } from '../../terminal/card/card.ts';
import type { Column, Tone, View } from '../../terminal/index.ts';
import type { Deps, Invocation, ResourceName } from '../framework/index.ts';

export interface ResourceIdentity {
  /** The first word of its commands: `snippets`. */
  readonly commandGroup: string;
  readonly noun: string;
  readonly plural: string;
  /** Its row in the catalog, which lists its items for prompts and completion. */
  readonly catalogKey: ResourceName;
  readonly param: string;
  /** The name of that parameter in help, unless `id`. */
  readonly placeholder?: string;
}

/** A resource with the endpoint that reads one item, and an ID for the examples in help. */
export interface ReadableResource extends ResourceIdentity {
  readonly get: Endpoint;
  readonly sampleId: string;
}

/** `T`: one item, as the API returns it. */
export interface Resource<T> extends ResourceIdentity {
  /** Reads one item; left out if the API cannot. */
  readonly get?: Endpoint;
  readonly sampleId?: string;
  /** Columns of a list. */
  readonly columns: readonly Column<T>[];
  /** Columns of one item, for pipes, `--fields` and the card. */
  readonly fields: readonly Column<T>[];
  readonly idOf: (item: T) => string | number | undefined;
  /** Returns the display name; left out if the ID is the name. */
  readonly nameOf?: (item: T) => string | null | undefined;
  /** Returns the status in the API's spelling. */
  readonly stateOf?: (item: T) => string | undefined;
  /** Overrides the tone of the status. */
  readonly toneOf?: (item: T) => Tone;
  /** Adds to an item what its card shows and the response does not contain, such as names for IDs. */
  readonly enrich?: (deps: Deps, item: T) => Promise<T>;
  /** Returns the sections of the card below its facts. */
  readonly sections?: (item: T) => readonly Section[];
  /** Returns the commands that the card suggests: what each does, and its words. */
  readonly nextCommands?: (item: T) => readonly (readonly [does: string, ...words: string[]])[];
  /** Returns the note that follows the item; undefined if there is none. `commandLine`: formats a command of sonde. */
  readonly noteOf?: (item: T, commandLine: (...words: readonly string[]) => string) => string | undefined;
  /** Returns the path of the item's page on the service; left out if it has none. */
  readonly page?: (item: T) => string;
  /** Replaces the standard view of one item. */
  readonly view?: (deps: Deps, line: OutputContext, item: T) => View<T>;
}

/** The parts of an invocation that printing an item needs. */
export type OutputContext = Pick<Invocation, 'globals' | 'output'>;

/** Formats an item by its name or ID: `snippet 12`, `snippet Sign in (12)`. */
export function formatResource<T>({ noun, idOf, nameOf }: Resource<T>, item: T): string {
  const [id, name] = [idOf(item), nameOf?.(item)];
  return name ? `${noun} ${name} (${id})` : `${noun} ${id}`;
}
