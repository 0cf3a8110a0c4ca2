/** The commands that list a resource and show one of it. */
import type { EntryOf } from '../../client/index.ts';
import type { Endpoint, ResponseOf } from '../../contract/index.ts';
import { argument, type Command, defineCommand, type Example } from '../framework/index.ts';
import { type ListView, printList } from '../framework/print-list.ts';
import type { Resource } from '../resources/resource.ts';
import { show } from './show.ts';

interface Words {
  readonly summary?: string;
  readonly description?: string;
  readonly examples: readonly Example[];
}

/** `sonde snippets list`. */
export function listCommand<E extends Endpoint>(
  resource: Resource<EntryOf<E>>,
  of: Words &
    Partial<Pick<ListView<EntryOf<E>>, 'statusOf' | 'emptyHint' | 'table'>> & { readonly endpoint: E },
): Command {
  const { word: first, plural, columns } = resource;
  const { endpoint, summary = `List ${plural}`, examples, description, ...view } = of;
  // From here on the types of the endpoint are not needed.
  const loose: Endpoint = endpoint;
  const shown = { noun: plural, columns, ...view } as unknown as ListView<EntryOf<Endpoint>>;
  return defineCommand({
    name: `${first} list`,
    summary,
    ...(description === undefined ? {} : { description }),
    endpoint: loose,
    examples,
    run: (deps, line) => printList(deps, loose, line, shown),
  });
}

/** `sonde snippets get`. */
export function getCommand<E extends Endpoint>(
  resource: Resource<ResponseOf<E>>,
  of: Words & { readonly endpoint: E },
): Command {
  const { word, noun, thing, param, placeholder } = resource;
  const { endpoint, summary = `Show ${article(noun)}`, examples, description } = of;
  const loose: Endpoint = endpoint;
  return defineCommand({
    name: `${word} get`,
    summary,
    ...(description === undefined ? {} : { description }),
    endpoint: loose,
    arguments: {
      id: argument(`${idWord(placeholder)} of the ${noun}`, {
        param,
        of: thing,
        ...(placeholder === undefined ? {} : { placeholder }),
      }),
    },
    examples,
    async run(deps, { input, ...line }) {
      const { client, signal } = deps;
      const { body } = await (await client()).call(loose, input, { signal });
      await show(deps, line, resource, body as ResponseOf<E>);
    },
  });
}

/** `a snippet`, `an incident`. */
export const article = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** How a summary calls what names one: `ID`, `Key`. */
export const idWord = (placeholder = 'id'): string =>
  placeholder === 'id' ? 'ID' : `${placeholder.charAt(0).toUpperCase()}${placeholder.slice(1)}`;
