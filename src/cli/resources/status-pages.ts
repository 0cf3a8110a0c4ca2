/** Describes status pages for their commands. */

import { isObject } from '../../base/object.ts';
import { getStatusPage, type ResponseOf } from '../../contract/index.ts';
import type { Column } from '../../terminal/index.ts';
import { describeVerification, formatDomain } from './custom-domain.ts';
import type { Resource } from './resource.ts';

type StatusPage = ResponseOf<typeof getStatusPage>;

const formatCards = ({ cards }: StatusPage): string[] =>
  (cards ?? []).map(({ name, id, services = [] }) => {
    const names = services.map((service) => service.name ?? service.id).join(', ');
    return `${name ?? id}${names ? ` (${names})` : ''}`;
  });

const statusPageColumns: readonly Column<StatusPage>[] = [
  { key: 'id', kind: 'id' },
  { key: 'name' },
  { key: 'url' },
  { key: 'customDomain', value: formatDomain },
  { key: 'description' },
  { key: 'cards', value: formatCards, kind: 'list' },
  { key: 'defaultTheme', header: 'theme' },
  { key: 'isPrivate', header: 'private', kind: 'boolean' },
  { key: 'logo' },
  { key: 'logoDark', header: 'dark logo' },
  { key: 'favicon' },
  { key: 'redirectTo' },
  { key: 'privacyPolicyLink', header: 'privacy policy' },
  { key: 'termsOfServiceLink', header: 'terms of service' },
  { key: 'supportLink', header: 'support' },
  { key: 'footerText', header: 'footer' },
  { key: 'allowIndexing', header: 'indexed', kind: 'boolean' },
];

const countServices = ({ cards }: StatusPage): number =>
  (cards ?? []).reduce((sum, { services = [] }) => sum + services.length, 0);

export const statusPages = {
  commandGroup: 'status-pages',
  noun: 'status page',
  plural: 'status pages',
  catalogKey: 'status-page',
  param: 'statusPageId',
  get: getStatusPage,
  sampleId: '7c0f1d2e',
  columns: [
    { key: 'id', kind: 'id', isShort: true },
    { key: 'name', priority: 90, minWidth: 24 },
    { key: 'url', header: 'slug', priority: 80 },
    { key: 'customDomain', header: 'domain', value: formatDomain, priority: 60 },
    { key: 'services', value: countServices, kind: 'number', priority: 50 },
    { key: 'isPrivate', header: 'private', kind: 'boolean', priority: 40 },
  ],
  // `view` has its own columns.
  fields: [],
  idOf: ({ id }) => id,
  page: ({ url }) => `/status/${encodeURIComponent(url)}`,
  nameOf: ({ name }) => name,
  noteOf: (page, commandLine) =>
    describeVerification(page, () => commandLine('status-pages', 'verify-domain', page.id)),
  view: (_deps, line, page) => ({
    kind: 'item',
    data: page,
    output: line.output,
    columns: statusPageColumns,
    card: async (shown) => (await import('./lazy/status-page-card.ts')).statusPageCard(line, shown),
  }),
} satisfies Resource<StatusPage>;

/** Converts the colours of both themes to upper case. Leaves other values for validation. */
export function upperCaseColours(themeColors: unknown): unknown {
  if (!isObject(themeColors)) return themeColors;
  const palette = (colours: unknown): unknown =>
    isObject(colours)
      ? Object.fromEntries(
          Object.entries(colours).map(([name, colour]) => [
            name,
            typeof colour === 'string' && colour.startsWith('#') ? colour.toUpperCase() : colour,
          ]),
        )
      : colours;
  return Object.fromEntries(Object.entries(themeColors).map(([theme, colours]) => [theme, palette(colours)]));
}

/** Returns a body with upper-case colours. */
export function toStatusPageBody(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return 'themeColors' in body ? { ...body, themeColors: upperCaseColours(body.themeColors) } : { ...body };
}
