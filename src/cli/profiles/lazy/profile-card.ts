/** Renders the settings of a profile as a card, each with its source. */
import { type Card, table } from '../../../terminal/card/card.ts';
import type { Column } from '../../../terminal/index.ts';

export interface Setting {
  readonly name: string;
  readonly value: string | null;
  readonly from: string | null;
}

export const profileCard = (profile: string | null, settings: readonly Setting[]): Card => ({
  title: { text: profile ?? 'No profile', aside: 'profile' },
  sections: [
    table({
      columns: [
        { key: 'name', header: 'setting', priority: 100, minWidth: 20 },
        { key: 'value', priority: 90, minWidth: 20, lines: 4 },
        { key: 'from', priority: 80, minWidth: 18, lines: 6 },
      ] satisfies Column<Setting>[],
      rows: settings,
    }),
  ],
});
