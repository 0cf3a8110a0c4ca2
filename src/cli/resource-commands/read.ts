/** Defines the commands that list a resource and show one item. */
import type { EntryOf } from '../../client/index.ts';
import type { Endpoint, ResponseOf } from '../../contract/index.ts';
import { render, type View } from '../../terminal/index.ts';
import { argument, type Command, type Deps, defineCommand, type Example } from '../framework/index.ts';
import { type ListView, printList } from '../framework/print-list.ts';
import type { OutputContext, Resource } from '../resources/resource.ts';

/** Prints an item, as a card in a terminal. */
export async function printResource<T>(
  deps: Deps,
  line: OutputContext,
  resource: Resource<T>,
  item: T,
): Promise<void> {
  const view: View<T> = resource.view?.(deps, line, item) ?? {
    kind: 'item',
    data: item,
    output: line.output,
    columns: resource.fields,
    async card(shown) {
      const { resourceCard } = await import('../resources/lazy/resource-card.ts');
      return resourceCard(line, resource, (await resource.enrich?.(deps, shown)) ?? shown);
    },
  };
  await render(deps.terminal, view);
}

interface CommandTexts {
  readonly summary?: string;
  readonly description?: string;
  readonly examples: readonly Example[];
}

/** Returns `sonde snippets list`. */
export function listCommand<E extends Endpoint>(
  resource: Resource<EntryOf<E>>,
  of: CommandTexts &
    Partial<Pick<ListView<EntryOf<E>>, 'statusOf' | 'emptyHint' | 'table'>> & { readonly endpoint: E },
): Command {
  const { commandGroup, plural, columns } = resource;
  const { endpoint, summary = `List ${plural}`, examples, description, ...view } = of;
  const loose: Endpoint = endpoint;
  const shown = { noun: plural, columns, ...view } as unknown as ListView<EntryOf<Endpoint>>;
  return defineCommand({
    name: `${commandGroup} list`,
    summary,
    ...(description === undefined ? {} : { description }),
    endpoint: loose,
    examples,
    run: (deps, line) => printList(deps, loose, line, shown),
  });
}

/** Returns `sonde snippets get`. */
export function getCommand<E extends Endpoint>(
  resource: Resource<ResponseOf<E>>,
  of: CommandTexts & { readonly endpoint: E },
): Command {
  const { commandGroup, noun, catalogKey, param, placeholder } = resource;
  const { endpoint, summary = `Show ${withArticle(noun)}`, examples, description } = of;
  const loose: Endpoint = endpoint;
  return defineCommand({
    name: `${commandGroup} get`,
    summary,
    ...(description === undefined ? {} : { description }),
    endpoint: loose,
    arguments: {
      id: argument(`${idLabel(placeholder)} of the ${noun}`, {
        param,
        of: catalogKey,
        ...(placeholder === undefined ? {} : { placeholder }),
      }),
    },
    examples,
    async run(deps, { input, ...line }) {
      const { client, signal } = deps;
      const { body } = await (await client()).call(loose, input, { signal });
      await printResource(deps, line, resource, body as ResponseOf<E>);
    },
  });
}

/** Returns `a snippet`, `an incident`. */
export const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** Returns the label of the ID argument: `ID`, `Key`. */
export const idLabel = (placeholder = 'id'): string =>
  placeholder === 'id' ? 'ID' : `${placeholder.charAt(0).toUpperCase()}${placeholder.slice(1)}`;
