/** How a status page reads in a terminal. */
import type { getStatusPage, ResponseOf } from '../../src/contract/index.ts';
import type { Column } from '../../src/terminal/index.ts';

export type StatusPage = ResponseOf<typeof getStatusPage>;

/** A line a card, its services after its name. */
const cardsOf = ({ cards }: StatusPage): string[] =>
  (cards ?? []).map(({ name, id, services = [] }) => {
    const names = services.map((service) => service.name ?? service.id).join(', ');
    return `${name ?? id}${names ? ` (${names})` : ''}`;
  });

export const statusPageColumns: readonly Column<StatusPage>[] = [
  { key: 'id', kind: 'id' },
  { key: 'name' },
  { key: 'url' },
  { key: 'customDomain' },
  { key: 'description' },
  { key: 'cards', value: cardsOf, kind: 'list' },
  { key: 'defaultTheme', header: 'theme' },
  { key: 'isPrivate', header: 'private', kind: 'boolean' },
  { key: 'logo' },
  { key: 'favicon' },
  { key: 'redirectTo' },
];
