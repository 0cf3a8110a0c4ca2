/** Renders one item of a resource as a card. */
import { tolerate } from '../../../base/tolerate.ts';
import { type Card, commands, factsOf } from '../../../terminal/card/card.ts';
import type { Column } from '../../../terminal/index.ts';
import { formatCommandLine } from '../../framework/format-command-line.ts';
import type { OutputContext, Resource } from '../resource.ts';

export function resourceCard<T>({ globals }: Pick<OutputContext, 'globals'>, of: Resource<T>, item: T): Card {
  const { noun, fields, idOf, nameOf, stateOf, toneOf, sections, nextCommands } = of;
  const [id, name] = [idOf(item), tolerate(() => nameOf?.(item))];
  // Fields with a section of their own are left out.
  const facts = fields.filter(({ key, isRedundant }) => isRedundant !== true && (key !== 'name' || !name));
  return {
    title: {
      text: name || String(id ?? noun),
      state: tolerate(() => stateOf?.(item)),
      tone: tolerate(() => toneOf?.(item)),
      aside: noun,
    },
    sections: [
      factsOf(facts, item),
      ...(tolerate(() => sections?.(item)) ?? []),
      commands(
        (tolerate(() => nextCommands?.(item)) ?? []).map(([does, ...words]) => ({
          does,
          line: formatCommandLine({ globals }, ...words),
        })),
      ),
    ],
  };
}

export const itemCard = <T extends { readonly name?: string | null | undefined }>(
  noun: string,
  columns: readonly Column<T>[],
  changed: T,
): Card => ({
  title: { text: changed.name ?? noun, aside: changed.name ? noun : undefined },
  sections: [
    factsOf(
      columns.filter(({ key }) => key !== 'name'),
      changed,
    ),
  ],
});
