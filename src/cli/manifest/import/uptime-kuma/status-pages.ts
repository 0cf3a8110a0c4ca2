/** Converts the status pages of Uptime Kuma: groups become cards, and each monitor on a page becomes a service. */
import type { JsonObject } from '../../../../base/object.ts';
import { SLUG_LIMIT } from '../../../../contract/limits.ts';
import { cutText } from '../check-parts.ts';
import type { Conversion, ReportLoss } from '../conversion.ts';
import { convertItem } from '../convert-item.ts';
import { isDefault, PAGE_FALLBACK, PAGE_RULES } from './columns.ts';
import { flagOf, type KumaTables, numberOf, type Row, textOf } from './tables.ts';

const byWeight = (one: Row, other: Row): number => numberOf(one, 'weight') - numberOf(other, 'weight');

/** Adds a service for each monitor on a page. Returns the names by the ID of the monitor. */
export function addServices(tables: KumaTables, conversion: Conversion): ReadonlyMap<unknown, string> {
  const shown = new Set(tables.monitor_group.map((row) => row.monitor_id));
  const names = new Map<unknown, string>();
  for (const row of tables.monitor) {
    if (!shown.has(row.id)) continue;
    const name = conversion.uniqueName('services', textOf(row, 'name').trim() || 'Service');
    names.set(row.id, name);
    conversion.add('services', { name });
  }
  return names;
}

/** Returns the incident that a check opens on the page. */
export const incidentOf = (service: string, name: string): JsonObject => ({
  service,
  severity: 'MAJOR',
  name: `${name} is down`,
  description: `${name} does not respond as expected.`,
  notifySubscribers: false,
});

const SLUG = new RegExp(String(SLUG_LIMIT.pattern), 'u');

/** Adds the pages. Returns their slugs by ID. */
export function addPages(
  tables: KumaTables,
  services: ReadonlyMap<unknown, string>,
  conversion: Conversion,
): ReadonlyMap<unknown, string> {
  const slugs = new Map<unknown, string>();
  for (const page of tables.status_page) {
    const slug = textOf(page, 'slug');
    const url = SLUG.test(slug) ? slug : `${slug}-page`;
    const name = textOf(page, 'title').trim() || slug;
    const item = {
      kind: 'status page',
      name,
      source: page,
      rules: PAGE_RULES,
      fallback: PAGE_FALLBACK,
      isDefault,
    };
    const { value } = convertItem(conversion, item, (report) => {
      const links = tables.group
        .filter((group) => group.status_page_id === page.id)
        .sort(byWeight)
        .map((group) => [group, tables.monitor_group.filter((link) => link.group_id === group.id)] as const);
      if (url !== slug) report('changed', 'slug', `the service uses ${slug} itself; it became ${url}`);
      if (links.some(([, own]) => own.some((link) => flagOf(link, 'send_url'))))
        report('changed', 'send_url', 'a service on a page has no link to its target');
      const cards = links.map(([group, own]) => ({
        name: textOf(group, 'name'),
        services: own
          .toSorted(byWeight)
          .map((link) => services.get(link.monitor_id))
          .filter((service) => service !== undefined),
      }));
      return { name, url, ...lookOf(page, tables, report), cards };
    });
    if (value === undefined) continue;
    slugs.set(page.id, url);
    conversion.add('statusPages', value);
  }
  return slugs;
}

const MAX_DESCRIPTION = 500;
const MAX_FOOTER = 2000;
const THEMES: Readonly<Record<string, string>> = { light: 'LIGHT', dark: 'DARK' };

function lookOf(page: Row, { status_page_cname: domains }: KumaTables, report: ReportLoss): JsonObject {
  const description = cutText(textOf(page, 'description'), MAX_DESCRIPTION, 'description', report);
  const logo = textOf(page, 'icon');
  const theme = THEMES[textOf(page, 'theme')];
  const [domain, ...others] = domains
    .filter((row) => row.status_page_id === page.id)
    .map((row) => textOf(row, 'domain'));
  const isPrivate = !flagOf(page, 'published', true);
  const isLogoPublic = /^https?:/.test(logo);
  if (logo !== '' && logo !== '/icon.svg' && !isLogoPublic)
    report(
      'changed',
      'icon',
      'the image is in the data folder of Uptime Kuma; upload it, and set its URL as logo',
    );
  if (others.length > 0)
    report('changed', 'domains', `a page has one domain; ${others.join(', ')} is left out`);
  if (isPrivate) report('changed', 'published', 'the page is not published, so it is private');
  if (textOf(page, 'custom_css').trim() !== '') report('changed', 'custom CSS', 'set themeColors instead');
  const footer = cutText(textOf(page, 'footer_text'), MAX_FOOTER, 'footer_text', report);
  const isIndexed = flagOf(page, 'search_engine_index', true);
  return {
    ...(description === '' ? {} : { description }),
    ...(theme === undefined ? {} : { defaultTheme: theme }),
    ...(isLogoPublic ? { logo } : {}),
    ...(footer === '' ? {} : { footerText: footer }),
    ...(isIndexed ? {} : { allowIndexing: false }),
    ...(domain === undefined ? {} : { customDomain: domain }),
    ...(isPrivate ? { isPrivate } : {}),
  };
}
