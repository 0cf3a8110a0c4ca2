/** Renders an item that was just created as a card. */
import { type Card, factsOf } from '../../../terminal/card/card.ts';
import type { Column } from '../../../terminal/index.ts';

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
