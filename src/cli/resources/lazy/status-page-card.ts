/** Renders a status page as a card: its settings, a tree of cards and services, and its colours. */
import type { StatusPage } from '../../../contract/resources/status-page.ts';
import {
  type Branch,
  type Card,
  commands,
  facts,
  links,
  type Section,
  table,
  tree,
} from '../../../terminal/card/card.ts';
import { formatCommandLine } from '../../framework/format-command-line.ts';
import type { Invocation } from '../../framework/index.ts';
import { formatDomain } from '../custom-domain.ts';

export function statusPageCard({ globals }: Pick<Invocation, 'globals'>, page: StatusPage): Card {
  return {
    title: { text: page.name, aside: 'status page' },
    sections: [
      facts([
        { label: 'URL', value: page.url },
        { label: 'Domain', value: formatDomain(page) },
        { label: 'Description', value: page.description ?? undefined },
        { label: 'Footer', value: page.footerText ?? undefined },
        { label: 'Search engines', value: page.allowIndexing === false ? 'no' : undefined },
        { label: 'Theme', value: page.defaultTheme },
        { label: 'Private', value: page.isPrivate },
        { label: 'White label', value: page.whiteLabel || undefined },
        { label: 'Page', value: page.id, kind: 'id' },
      ]),
      tree({ heading: 'Cards and their services', branches: (page.cards ?? []).map(cardBranch) }),
      coloursTable(page),
      links([
        { label: 'Logo', url: page.logo ?? undefined },
        { label: 'Dark logo', url: page.logoDark ?? undefined },
        { label: 'Link', url: page.redirectTo ?? undefined },
        { label: 'Favicon', url: page.favicon ?? undefined },
        { label: 'Privacy policy', url: page.privacyPolicyLink ?? undefined },
        { label: 'Terms of service', url: page.termsOfServiceLink ?? undefined },
        { label: 'Support', url: page.supportLink ?? undefined },
      ]),
      commands([
        { does: 'Edit the page', line: formatCommandLine({ globals }, 'status-pages', 'edit', page.id) },
      ]),
    ],
  };
}

type StatusPageCard = NonNullable<StatusPage['cards']>[number];

/** Joins what readers should know about a branch; undefined: nothing. */
const joinAside = (...parts: readonly (string | false | undefined)[]): string | undefined =>
  parts.filter((part) => part !== undefined && part !== false).join(', ') || undefined;

const cardBranch = ({ name, id, hidden, services }: StatusPageCard): Branch => ({
  text: name ?? id ?? '',
  aside: joinAside(!services?.length && 'no services', hidden && 'hidden'),
  branches: (services ?? []).map((service) => ({
    text: service.name ?? service.id ?? '',
    aside: joinAside(service.name === undefined ? undefined : service.id, service.hidden && 'hidden'),
  })),
});

/** A colour in both themes. */
interface Colour {
  readonly name: string;
  readonly light: string | undefined;
  readonly dark: string | undefined;
}

/** Returns a row for each colour that a theme sets. A theme without colours has no column. */
function coloursTable({ themeColors }: StatusPage): Section {
  const light = themeColors?.light ?? {};
  const dark = themeColors?.dark ?? {};
  const names = [...new Set([...Object.keys(light), ...Object.keys(dark)])];
  const of = (theme: object, name: string): string | undefined => {
    const value: unknown = Object.hasOwn(theme, name) ? theme[name as keyof typeof theme] : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  const rows = names.map((name): Colour => ({ name, light: of(light, name), dark: of(dark, name) }));
  return table({
    heading: 'Theme colours',
    columns: [
      { key: 'name', header: 'colour', value: ({ name }: Colour) => formatColourName(name), priority: 100 },
      ...(Object.keys(light).length > 0 ? [{ key: 'light', kind: 'color' as const }] : []),
      ...(Object.keys(dark).length > 0 ? [{ key: 'dark', kind: 'color' as const }] : []),
    ],
    rows,
  });
}

/** Formats `cardBackgroundColor` as `card background`. */
const formatColourName = (name: string): string =>
  name
    .replace(/Color/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
