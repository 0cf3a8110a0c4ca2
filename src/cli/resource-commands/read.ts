/** Defines the commands that list a resource and show one item. */
import type { EntryOf } from '../../client/index.ts';
import type { Endpoint, ResponseOf } from '../../contract/index.ts';
import type { Card } from '../../terminal/card/card.ts';
import { render, type View } from '../../terminal/index.ts';
import { formatCommandLine } from '../framework/format-command-line.ts';
import { argument, type Command, type Deps, defineCommand, type Example } from '../framework/index.ts';
import { type ListView, printList } from '../framework/print-list.ts';
import type { OutputContext, Resource, ResourceIdentity } from '../resources/resource.ts';
import { webOption } from '../web/web-option.ts';

/** Prints an item, as a card in a terminal. */
export async function printResource<T>(
  deps: Deps,
  line: OutputContext,
  resource: Resource<T>,
  item: T,
): Promise<void> {
  const standardCard = async (shown: T) => {
    const { resourceCard } = await import('../resources/lazy/resource-card.ts');
    return resourceCard(line, resource, (await resource.enrich?.(deps, shown)) ?? shown);
  };
  const own = resource.view?.(deps, line, item);
  const special = own?.kind === 'item' ? own.card : undefined;
  const view: View<T> = own
    ? { ...own, ...(special ? { card: (shown: T) => withFallback(special, standardCard, shown) } : {}) }
    : { kind: 'item', data: item, output: line.output, columns: resource.fields, card: standardCard };
  await render(deps.terminal, view);
  const note = resource.noteOf?.(item, (...words) => formatCommandLine(line, ...words));
  if (note !== undefined) await deps.terminal.note(note);
}

/** Returns the special card of an item; the standard one if the item lacks a field that the former needs. */
async function withFallback<T>(
  special: (item: T) => Card | Promise<Card>,
  standard: (item: T) => Promise<Card>,
  item: T,
): Promise<Card> {
  try {
    return await special(item);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return standard(item);
  }
}

interface CommandTexts {
  readonly summary?: string;
  readonly description?: string;
  readonly examples?: readonly Example[];
}

/** Returns `sonde snippets list`. */
export function listCommand<E extends Endpoint>(
  { commandGroup, plural, columns }: Resource<EntryOf<E>>,
  list: E,
  of: CommandTexts & Partial<Pick<ListView<EntryOf<E>>, 'statusOf' | 'emptyHint' | 'table'>> = {},
): Command {
  const { summary, description, examples, ...view } = of;
  const endpoint: Endpoint = list;
  const shown = {
    noun: plural,
    columns,
    emptyHint: `Create one with "sonde ${commandGroup} create".`,
    ...view,
  } as unknown as ListView<EntryOf<Endpoint>>;
  return defineCommand({
    name: `${commandGroup} list`,
    summary: summary ?? `List ${plural}`,
    ...(description === undefined ? {} : { description }),
    endpoint,
    examples: examples ?? [{ line: `${commandGroup} list --all`, does: `List all ${plural}` }],
    run: (deps, line) => printList(deps, endpoint, line, shown),
  });
}

/** Returns `sonde snippets get`. */
export function getCommand<E extends Endpoint>(
  resource: Resource<ResponseOf<E>> & { readonly get: E; readonly sampleId: string },
  of: CommandTexts = {},
): Command {
  const { commandGroup, noun, get, sampleId } = resource;
  const summary = `Show ${withArticle(noun)}`;
  const endpoint: Endpoint = get;
  return defineCommand({
    summary,
    examples: [{ line: `${commandGroup} get ${sampleId}`, does: summary }],
    ...of,
    name: `${commandGroup} get`,
    endpoint,
    arguments: { id: idArgument(resource) },
    ...(hasPage(resource) ? { options: { web: webOption } } : {}),
    async run(deps, { input, options, ...line }) {
      const { client, signal } = deps;
      const { body } = await (await client()).call(endpoint, input, { signal });
      const item = body as ResponseOf<E>;
      await (hasPage(resource) && options.web
        ? openResource(deps, line, resource, item)
        : printResource(deps, line, resource, item));
    },
  });
}

/** A resource with a page. */
export type ResourceWithPage<T> = Resource<T> & Required<Pick<Resource<T>, 'page'>>;

const hasPage = <T>(resource: Resource<T>): resource is ResourceWithPage<T> => resource.page !== undefined;

/** Opens the page of an item in a browser. */
export async function openResource<T>(
  deps: Deps,
  line: OutputContext,
  { page }: ResourceWithPage<T>,
  item: T,
): Promise<void> {
  const { openPage } = await import('../web/lazy/open-page.ts');
  await openPage(deps, line, page(item));
}

export function idArgument({ noun, catalogKey, param, placeholder }: ResourceIdentity) {
  const label =
    placeholder === undefined ? 'ID' : `${placeholder.charAt(0).toUpperCase()}${placeholder.slice(1)}`;
  return argument(`${label} of the ${noun}`, {
    param,
    of: catalogKey,
    ...(placeholder === undefined ? {} : { placeholder }),
  });
}

/** Returns `a snippet`, `an incident`. */
export const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
