/** Schema of the Playwright options of browser and multi-step checks (docs/gaps.md). */
import {
  allOptional,
  array,
  boolean,
  closed,
  integer,
  noted,
  nullable,
  number,
  oneOf,
  optional,
  secret,
  string,
  Type,
} from '../../schema.ts';

const COLOR_SCHEMES = ['light', 'dark', 'no-preference'] as const;
const CREDENTIALS_SENT = ['always', 'unauthorized'] as const;
const text = (description: string) => string(description, { minLength: 1, maxLength: 2048 });
const milliseconds = (description: string) => integer(description, { minimum: 0, 'x-unit': 'ms' });
const pixels = (description: string) => integer(description, { minimum: 1, maximum: 10_000 });
const degrees = (description: string, most: number) => number(description, { minimum: -most, maximum: most });

/** Options of the pages and requests of a script. */
const use = closed(
  allOptional({
    acceptDownloads: boolean('Whether pages may download files'),
    actionTimeout: milliseconds('Time limit of an action such as a click; 0: none'),
    baseURL: text('URL that relative addresses are resolved against; replaces the base URL of the group'),
    bypassCSP: boolean('Whether pages ignore their Content-Security-Policy'),
    colorScheme: oneOf(COLOR_SCHEMES, 'Colour scheme that pages prefer'),
    deviceScaleFactor: number('Device pixels for a CSS pixel', { exclusiveMinimum: 0, maximum: 10 }),
    extraHTTPHeaders: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Headers of every request',
    }),
    geolocation: closed(
      {
        latitude: degrees('Latitude', 90),
        longitude: degrees('Longitude', 180),
        accuracy: optional(number('Accuracy, in meters', { minimum: 0 })),
      },
      { description: 'Position that pages get; also needs the permission geolocation' },
    ),
    hasTouch: boolean('Whether the screen supports touch'),
    httpCredentials: closed(
      {
        username: string('Username'),
        ...allOptional({
          password: secret('emptied', 'Password'),
          origin: text('Origin that gets the credentials; default: every origin'),
          send: oneOf(CREDENTIALS_SENT, 'Whether requests outside of pages send them without being asked'),
        }),
      },
      { description: 'Credentials for HTTP authentication' },
    ),
    ignoreHTTPSErrors: boolean('Whether invalid certificates are accepted'),
    isMobile: boolean('Whether pages behave as on a mobile device'),
    javaScriptEnabled: boolean('Whether pages run JavaScript'),
    locale: text('Language of pages and requests, such as de-DE'),
    navigationTimeout: milliseconds('Time limit of a navigation; 0: none'),
    offline: boolean('Whether pages have no network'),
    permissions: array(text('Permission, such as geolocation'), 'Permissions of pages'),
    testIdAttribute: text('Attribute that getByTestId reads'),
    timezoneId: text('Time zone of pages, such as Europe/Berlin'),
    userAgent: text('User-Agent header of pages and requests'),
    viewport: nullable(
      closed(
        { width: pixels('Width, in pixels'), height: pixels('Height, in pixels') },
        { description: 'Size of pages; null: the size of the window' },
      ),
    ),
  }),
  { description: 'Options of pages and requests' },
);

export const playwrightConfig = nullable(
  noted(
    closed(
      allOptional({
        use,
        expect: closed(allOptional({ timeout: milliseconds('Time limit of an assertion that waits') }), {
          description: 'Settings of assertions',
        }),
        timeout: milliseconds('Time limit of a test; 0: only that of the check'),
      }),
    ),
    { description: 'Options of Playwright for the script', 'x-gaps': ['*'] },
  ),
);
