/** Prints one item of a resource. */
import { render, type View } from '../../terminal/index.ts';
import type { Deps } from '../framework/index.ts';
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
