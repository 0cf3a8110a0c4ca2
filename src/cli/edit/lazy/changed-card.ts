/** What was just made or changed, as a card: its name, and what the columns tell of it. */
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
