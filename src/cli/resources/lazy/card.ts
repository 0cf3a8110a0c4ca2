/** One of a resource as a card: its name, what its columns tell, and what goes on from it. */
import { type Card, commands, factsOf } from '../../../terminal/card/card.ts';
import { commandLine } from '../../framework/command-line.ts';
import type { Resource, ShownLine } from '../resource.ts';

export function resourceCard<T>({ globals }: Pick<ShownLine, 'globals'>, of: Resource<T>, item: T): Card {
  const { noun, fields, idOf, nameOf, stateOf, toneOf, sections, leadsTo } = of;
  const [id, name] = [idOf(item), nameOf?.(item)];
  // What has a section of its own is told there.
  const told = fields.filter(({ key, isRedundant }) => isRedundant !== true && (key !== 'name' || !name));
  return {
    title: { text: name || String(id), state: stateOf?.(item), tone: toneOf?.(item), aside: noun },
    sections: [
      factsOf(told, item),
      ...(sections?.(item) ?? []),
      commands(
        (leadsTo?.(item) ?? []).map(([does, ...words]) => ({
          does,
          line: commandLine({ globals }, ...words),
        })),
      ),
    ],
  };
}
