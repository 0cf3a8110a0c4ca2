/** Describes how a status page is printed. */
import type { getStatusPage, ResponseOf } from '../../contract/index.ts';
import type { Column, View } from '../../terminal/index.ts';
import type { Invocation } from '../framework/index.ts';

type StatusPage = ResponseOf<typeof getStatusPage>;

/** Formats one line for each card: its name and its services. */
const formatCards = ({ cards }: StatusPage): string[] =>
  (cards ?? []).map(({ name, id, services = [] }) => {
    const names = services.map((service) => service.name ?? service.id).join(', ');
    return `${name ?? id}${names ? ` (${names})` : ''}`;
  });

const statusPageColumns: readonly Column<StatusPage>[] = [
  { key: 'id', kind: 'id' },
  { key: 'name' },
  { key: 'url' },
  { key: 'customDomain' },
  { key: 'description' },
  { key: 'cards', value: formatCards, kind: 'list' },
  { key: 'defaultTheme', header: 'theme' },
  { key: 'isPrivate', header: 'private', kind: 'boolean' },
  { key: 'logo' },
  { key: 'favicon' },
  { key: 'redirectTo' },
];

/** Returns the view of a page, which is a card in a terminal. */
export const statusPageView = (
  line: Pick<Invocation, 'globals' | 'output'>,
  page: StatusPage,
): View<StatusPage> => ({
  kind: 'item',
  data: page,
  output: line.output,
  columns: statusPageColumns,
  card: async (shown) => (await import('./lazy/status-page-card.ts')).statusPageCard(line, shown),
});
