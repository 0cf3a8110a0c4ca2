/** Schemas of status pages. Specification: Status page. */

import { THEMES } from '../enumerations.ts';
import { COLOR_PATTERN, RESOURCE_NAME_LIMIT, SLUG_LIMIT } from '../limits.ts';
import {
  allOptional,
  array,
  boolean,
  closed,
  date,
  dateTime,
  nullable,
  oneOf,
  open,
  openOneOf,
  optional,
  secret,
  string,
  type Type,
  uuid,
} from '../schema.ts';
import { description500 } from './shared.ts';

const COLOUR = { pattern: COLOR_PATTERN, 'x-gaps': ['pattern'] };
const palette = (of: string) => {
  const colour = (what: string) => string(`Color of ${what}, as #RGB or #RRGGBB`, COLOUR);
  return closed(
    allOptional({
      bodyBackgroundColor: colour('the page background'),
      headerBackgroundColor: colour('the header background'),
      headerFontColor: colour('header text'),
      titleFontColor: colour('titles'),
      bodyFontColor: colour('body text'),
      bodyFontColorMuted: colour('secondary text'),
      navigationFontColor: colour('navigation'),
      linkFontColor: colour('links'),
      cardBackgroundColor: colour('the card background'),
      borderColor: colour('borders'),
      primaryButtonBackgroundColor: colour('the primary button'),
      primaryButtonFontColor: colour('primary button text'),
    }),
    { title: 'ThemePalette', description: `Colors of the ${of} theme` },
  );
};
const themeColors = closed(
  { light: optional(palette('light')), dark: optional(palette('dark')) },
  { title: 'ThemeColors', description: 'Colors of the page; some deployments require both light and dark' },
);

/** Fields of responses about the custom domain of a status page or a dashboard. */
export const customDomainAnswer = allOptional({
  customDomainStatus: openOneOf(
    ['VERIFIED', 'UNVERIFIED'],
    'Whether the page is served at its custom domain; missing without a custom domain',
  ),
  customDomainChallenge: open(
    {
      recordName: string('Name of the DNS record'),
      recordType: string('Type of the DNS record: TXT'),
      recordValue: string('Value of the DNS record, or a line of the file'),
      fileUrl: string('URL of the file that may replace the DNS record'),
    },
    {
      title: 'CustomDomainChallenge',
      description: 'Record or file that verifies the custom domain; missing if it is verified',
    },
  ),
});

const OURS = { 'x-gaps': ['*'] };

const pageFields = {
  description: description500,
  customDomain: nullable(string('Custom domain')),
  themeColors,
  logo: nullable(string('URL of the logo')),
  logoDark: nullable(string('URL of the logo in the dark theme; default: the logo', OURS)),
  redirectTo: nullable(string('URL that the logo links to')),
  favicon: nullable(string('URL of the favicon')),
  showResponseTimes: boolean(
    'Whether the page shows the response times of the checks that open incidents of its services (triggerIncident)',
    OURS,
  ),
  privacyPolicyLink: nullable(string('URL of the privacy policy, in the footer', OURS)),
  termsOfServiceLink: nullable(string('URL of the terms of service, in the footer', OURS)),
  supportLink: nullable(string('URL of the support, in the footer', OURS)),
  footerText: nullable(string('Text in the footer', { ...OURS, maxLength: 2000 })),
  allowIndexing: boolean('Whether search engines may index the page', { ...OURS, default: true }),
};

const shownDescription = (noun: string) =>
  nullable(string(`Description of the ${noun} on status pages`, { ...OURS, maxLength: 500 }));

/** How status pages show a service. */
export const serviceFields = allOptional({
  description: shownDescription('service'),
  hidden: boolean('Whether status pages omit the service and the incidents that affect nothing else', {
    ...OURS,
    default: false,
  }),
  showHistoricalData: boolean('Whether status pages show the uptime bars of the service', {
    ...OURS,
    default: true,
  }),
});

const cardFields = allOptional({
  description: shownDescription('card'),
  hidden: boolean('Whether the page omits the card with its services', { ...OURS, default: false }),
  expandedByDefault: nullable(
    boolean('Whether a card that readers can collapse is open at first; null: it cannot be collapsed', OURS),
  ),
  showHistoricalData: boolean(
    'Whether a card that readers can collapse shows the uptime bars of all its services together',
    { ...OURS, default: true },
  ),
});

/** Body of endpoint 4. */
export const statusPageBody = closed(
  {
    name: string('Name of the page', RESOURCE_NAME_LIMIT),
    url: string('Slug of the page: its path on the status page server', SLUG_LIMIT),
    cards: array(
      closed({
        name: optional(string('Title of the card', RESOURCE_NAME_LIMIT)),
        id: optional(string('ID of an existing card')),
        statusPageId: optional(string('ID of the page that the card belongs to')),
        ...cardFields,
        services: optional(array(closed({ id: string('ID of the service') }), 'Services on the card')),
      }),
      'Cards of the page, in order',
    ),
    ...allOptional(pageFields),
    defaultTheme: optional(oneOf(THEMES, 'Default theme', { default: 'AUTO' })),
  },
  { title: 'StatusPageRequest' },
);
export type StatusPageBody = Type.Static<typeof statusPageBody>;

/** Access to a page and its branding: `isPrivate` and `whiteLabel` have their own endpoint (not in the specification). */
export const statusPageAccessChange = closed(
  allOptional({
    isPrivate: boolean('Whether the page requires an access key'),
    whiteLabel: boolean("Whether the page omits the provider's name"),
    newKey: boolean('Whether to create a new access key, which revokes the previous one'),
  }),
  { title: 'StatusPageAccessChange' },
);
export const statusPageAccess = open(
  {
    isPrivate: boolean('Whether the page requires an access key'),
    whiteLabel: boolean("Whether the page omits the provider's name"),
    accessKey: optional(secret('once', 'The new access key, returned only once')),
  },
  { title: 'StatusPageAccess' },
);

export const statusPageService = open(
  allOptional({
    name: string('Name of the service'),
    id: string('ID of the service'),
    accountId: string('ID of the account'),
    created_at: date('Creation time'),
    updated_at: nullable(date('Time of the last change')),
    ...serviceFields,
  }),
  { title: 'StatusPageService' },
);

export const statusPage = open(
  {
    id: string('ID of the page'),
    name: string('Name of the page'),
    url: string('Slug of the page: its path on the status page server'),
    cards: optional(
      array(
        open(
          allOptional({
            id: string('ID of the card'),
            name: string('Title of the card'),
            ...cardFields,
            created_at: date('Creation time'),
            updated_at: nullable(date('Time of the last change')),
            services: array(statusPageService, 'Services on the card'),
          }),
          { title: 'StatusPageCard' },
        ),
        'Cards of the page, in order',
      ),
    ),
    ...allOptional(pageFields),
    ...customDomainAnswer,
    defaultTheme: optional(openOneOf(THEMES, 'Default theme', { default: 'AUTO' })),
    whiteLabel: optional(boolean("Whether the page omits the provider's name")),
    isPrivate: optional(boolean('Whether the page requires an access key', { default: false })),
    ...allOptional({
      accountId: uuid('ID of the account'),
      created_at: date('Creation time'),
      updated_at: nullable(dateTime('Time of the last change')),
    }),
  },
  { title: 'StatusPage' },
);
export type StatusPage = Type.Static<typeof statusPage>;
