/** Status page. Specification: Status page. */

import { THEMES } from '../enumerations.ts';
import { NAME_LIMIT } from '../limits.ts';
import {
  allOptional,
  array,
  boolean,
  closed,
  date,
  nullable,
  oneOf,
  open,
  openOneOf,
  optional,
  string,
  type Type,
} from '../schema.ts';
import { description500 } from './shared.ts';

const COLOUR = { pattern: '^#(?:[0-9A-F]{3}|[0-9A-F]{6})$', 'x-gaps': ['pattern'] };
const palette = (of: string) => {
  const colour = (what: string) => string(`Colour of ${what}, #RGB or #RRGGBB`, COLOUR);
  return closed(
    allOptional({
      bodyBackgroundColor: colour('the page'),
      headerBackgroundColor: colour('the header'),
      headerFontColor: colour('text in the header'),
      titleFontColor: colour('titles'),
      bodyFontColor: colour('text'),
      bodyFontColorMuted: colour('secondary text'),
      navigationFontColor: colour('navigation'),
      linkFontColor: colour('links'),
      cardBackgroundColor: colour('cards'),
      borderColor: colour('borders'),
      primaryButtonBackgroundColor: colour('the main button'),
      primaryButtonFontColor: colour('text on the main button'),
    }),
    { title: 'ThemePalette', description: `Colours of the ${of} theme` },
  );
};
const themeColors = closed(
  { light: optional(palette('light')), dark: optional(palette('dark')) },
  { title: 'ThemeColors', description: 'Colours of the page; deployments want both light and dark' },
);

const pageFields = {
  description: description500,
  customDomain: nullable(string("A domain of the user's own")),
  themeColors,
  logo: nullable(string('Address of the logo')),
  redirectTo: nullable(string('Where a click on the logo leads')),
  favicon: nullable(string('Address of the favicon')),
};

/** Body of endpoint 4. */
export const statusPageBody = closed(
  {
    name: string('Name of the page', NAME_LIMIT),
    url: string('Slug under which the page is served', NAME_LIMIT),
    cards: array(
      closed({
        name: optional(string('Title of the card', NAME_LIMIT)),
        id: optional(string('Id of a card that exists')),
        statusPageId: optional(string('Page the card belongs to')),
        services: optional(array(closed({ id: string('Id of the service') }), 'Services shown on the card')),
      }),
      'The cards of the page, in order',
    ),
    ...allOptional(pageFields),
    defaultTheme: optional(oneOf(THEMES, 'Theme shown at first', { default: 'AUTO' })),
  },
  { title: 'StatusPageRequest' },
);
export type StatusPageBody = Type.Static<typeof statusPageBody>;

/** Who may read a page, and whether it names what made it: `isPrivate` and `whiteLabel` are set by themselves (**ours**). */
export const statusPageAccessChange = closed(
  allOptional({
    isPrivate: boolean('Whether the page needs a key to be read'),
    whiteLabel: boolean("Whether the provider's name is left out"),
    newKey: boolean('Whether to make a new access key; the one before it opens nothing any more'),
  }),
  { title: 'StatusPageAccessChange' },
);
export const statusPageAccess = open(
  {
    isPrivate: boolean('Whether the page needs a key to be read'),
    whiteLabel: boolean("Whether the provider's name is left out"),
    accessKey: optional(string('The new access key, shown only now')),
  },
  { title: 'StatusPageAccess' },
);

export const statusPageService = open(
  allOptional({
    name: string('Name of the service'),
    id: string('Id of the service'),
    accountId: string('Account it belongs to'),
    created_at: date('When it was created'),
    updated_at: nullable(date('When it was last changed')),
  }),
  { title: 'StatusPageService' },
);

export const statusPage = open(
  {
    id: string('Id of the page'),
    name: string('Name of the page'),
    url: string('Slug under which the page is served'),
    cards: optional(
      array(
        open(
          allOptional({
            id: string('Id of the card'),
            name: string('Title of the card'),
            created_at: date('When it was created'),
            updated_at: nullable(date('When it was last changed')),
            services: array(statusPageService, 'Services shown on the card'),
          }),
          { title: 'StatusPageCard' },
        ),
        'The cards of the page, in order',
      ),
    ),
    ...allOptional(pageFields),
    defaultTheme: optional(openOneOf(THEMES, 'Theme shown at first', { default: 'AUTO' })),
    whiteLabel: optional(boolean("Whether the provider's name is left out")),
    isPrivate: optional(boolean('Whether the page needs a key to be read', { default: false })),
  },
  { title: 'StatusPage' },
);
export type StatusPage = Type.Static<typeof statusPage>;
