/** Bodies of small resources: each field is set or not, and references are positions in the manifest. */
import fc from 'fast-check';
import type { JsonObject } from '../../../../src/base/object.ts';
import type { Section } from '../../../../src/cli/manifest/kinds.ts';

/** Returns the name of the entry at a position of a section, modulo their number. Undefined: there is none. */
export type RefOf = (section: Section, position: number) => string | undefined;
/** Makes a body. */
export type Draft = (ref: RefOf) => JsonObject;

const field = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 2 });
const position = fc.nat(3);
const tags = fc.subarray(['a', 'b', 'c']);
const secretValue = fc.constantFrom('hidden-value-one', 'hidden-value-two');

const defined = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));

/** Makes drafts of records whose fields may be left out. `refs`: positions by field, and how a name becomes a value. */
function drafts<T extends object>(
  fields: { [K in keyof T]: fc.Arbitrary<T[K]> },
  refs: Readonly<Record<string, readonly [Section, (name: string) => unknown]>> = {},
): fc.Arbitrary<Draft> {
  const positions = Object.fromEntries(Object.keys(refs).map((name) => [name, field(position)]));
  return fc.tuple(fc.record(fields), fc.record(positions)).map(
    ([values, places]): Draft =>
      (ref) => {
        const named = Object.entries(refs).flatMap(([name, [section, toValue]]) => {
          const place = places[name];
          const found = place === undefined ? undefined : ref(section, place);
          return found === undefined ? [] : [[name, toValue(found)]];
        });
        return { ...defined(values as JsonObject), ...Object.fromEntries(named) };
      },
  );
}

const itself = (name: string): unknown => name;
const alone = (name: string): unknown => [name];
const subscribed = (name: string): unknown => [{ alertChannel: name, activated: true }];

const variables = field(
  fc.uniqueArray(
    fc.oneof(
      fc.record({ key: fc.constantFrom('A', 'B'), value: fc.constantFrom('1', '2') }),
      fc.record({ key: fc.constantFrom('A', 'B'), value: secretValue, secret: fc.constant(true) }),
    ),
    { maxLength: 2, selector: ({ key }) => key },
  ),
);
const retryStrategy = field(
  fc.constantFrom(
    null,
    { type: 'LINEAR', maxRetries: 3 },
    { type: 'FIXED' },
    { type: 'FIXED', sameRegion: false },
  ),
);
const alertSettings = field(
  fc.constantFrom(
    { reminders: { amount: 1 } },
    { escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: 5 } },
    {},
  ),
);
const standing = {
  activated: field(fc.boolean()),
  muted: field(fc.boolean()),
  tags: field(tags),
  alertSettings,
  useGlobalAlertSettings: field(fc.boolean()),
  description: field(fc.constantFrom(null, 'text')),
};
const running = {
  shouldFail: field(fc.boolean()),
  locations: field(fc.subarray(['eu-central-1', 'us-east-1'])),
  runParallel: field(fc.boolean()),
  retryStrategy,
  doubleCheck: field(fc.boolean()),
};
const standingRefs = {
  group: ['groups', itself],
  dependsOn: ['checks', alone],
  alertChannelSubscriptions: ['alertChannels', subscribed],
  triggerIncident: ['services', (service: string) => ({ service, severity: 'MAJOR', name: 'Down' })],
} as const;
const scriptRefs = { setupSnippet: ['snippets', itself], tearDownSnippet: ['snippets', itself] } as const;
const url = fc.constantFrom('https://shop.test/', 'https://shop.test/cart');
const script = fc.constantFrom('one()', 'one();\ntwo();\n', 'x'.repeat(300));

/** The types of checks that are drawn. */
const CHECKS: Readonly<Record<string, fc.Arbitrary<Draft>>> = {
  URL: drafts(
    {
      ...standing,
      ...running,
      frequency: field(fc.constantFrom(1, 5, 1440)),
      request: fc.record({ url, method: field(fc.constantFrom('GET', 'HEAD')) }).map(defined),
      degradedResponseTime: field(fc.constantFrom(null, 3000, 100)),
    },
    { ...standingRefs, privateLocations: ['privateLocations', alone] },
  ),
  API: drafts(
    {
      ...standing,
      ...running,
      environmentVariables: variables,
      localSetupScript: field(fc.option(script)),
      request: fc
        .record({
          url,
          body: field(fc.constantFrom(null, '{}')),
          headers: field(fc.constantFrom([{ key: 'accept', value: '*/*' }], [])),
          basicAuth: field(fc.constantFrom(null, { username: 'bob', password: 'hidden-value-three' })),
          assertions: field(
            fc.constantFrom([], [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }]),
          ),
        })
        .map(defined),
    },
    { ...standingRefs, ...scriptRefs },
  ),
  DNS: drafts(
    {
      ...standing,
      ...running,
      request: fc
        .record({
          query: fc.constantFrom('shop.test', 'www.shop.test'),
          recordType: field(fc.constantFrom('A', 'MX')),
        })
        .map(defined),
    },
    standingRefs,
  ),
  BROWSER: drafts({ ...standing, ...running, environmentVariables: variables, script }, standingRefs),
  HEARTBEAT: drafts(
    {
      ...standing,
      heartbeat: fc.record({
        period: fc.constantFrom(1, 2),
        periodUnit: fc.constant('hours'),
        grace: fc.constant(5),
        graceUnit: fc.constant('minutes'),
      }),
    },
    standingRefs,
  ),
};

const switches = { sendRecovery: field(fc.boolean()), sendDegraded: field(fc.boolean()) };
/** `name`: the field `config` has the name. */
const CHANNELS: Readonly<Record<string, fc.Arbitrary<Draft>>> = {
  WEBHOOK: drafts({
    ...switches,
    config: fc
      .record({
        url,
        method: field(fc.constantFrom('POST', 'PUT')),
        headers: field(fc.constant([{ key: 'X-Key', value: 'hidden-value-four', locked: true }])),
        webhookSecret: field(secretValue),
      })
      .map(defined),
  }),
  SMS: drafts({ ...switches, config: fc.record({ number: fc.constantFrom('+49 170 1', '+49 170 2') }) }),
};

/** The bodies of each section, by the type that an entry keeps. */
export const BODIES: Readonly<Partial<Record<Section, Readonly<Record<string, fc.Arbitrary<Draft>>>>>> = {
  snippets: { '': drafts({ script }) },
  variables: {
    '': drafts({ value: fc.constantFrom('1', '2'), locked: field(fc.boolean()) }),
    secret: drafts({ value: secretValue, secret: fc.constant(true) }),
  },
  privateLocations: {
    '': drafts({ name: fc.constantFrom('One', 'Two'), icon: fc.constantFrom('home', 'office') }),
  },
  alertChannels: CHANNELS,
  services: {
    '': drafts({
      description: field(fc.constantFrom(null, 'text')),
      hidden: field(fc.boolean()),
      showHistoricalData: field(fc.boolean()),
    }),
  },
  groups: {
    '': drafts(
      {
        activated: field(fc.boolean()),
        tags: field(tags),
        locations: field(fc.subarray(['eu-central-1', 'us-east-1'])),
        concurrency: field(fc.constantFrom(1, 3)),
        alertSettings,
        environmentVariables: variables,
        retryStrategy,
        runParallel: field(fc.boolean()),
        apiCheckDefaults: field(fc.constantFrom({}, { url: 'https://shop.test/' })),
      },
      { ...scriptRefs, alertChannelSubscriptions: ['alertChannels', subscribed] },
    ),
  },
  checks: CHECKS,
  statusPages: {
    '': drafts(
      {
        name: fc.constantFrom('Shop', 'Other'),
        description: field(fc.constantFrom(null, 'text')),
        isPrivate: field(fc.boolean()),
        defaultTheme: field(fc.constantFrom('AUTO', 'DARK')),
        footerText: field(fc.constantFrom(null, 'text')),
        allowIndexing: field(fc.boolean()),
      },
      {
        cards: [
          'services',
          (service: string) => [{ name: 'All', expandedByDefault: false, services: [service] }],
        ],
      },
    ),
  },
  maintenanceWindows: {
    '': drafts(
      {
        startsAt: fc.constantFrom('2027-01-01', '2027-01-01T10:00:00.000Z'),
        endsAt: fc.constant('2027-02-01T10:00:00.000Z'),
        tags: field(tags),
        description: field(fc.constantFrom(null, 'text')),
        silenceAllAlerts: field(fc.boolean()),
        repeatUnit: fc.constant(null),
      },
      {
        statusPageVisibility: ['services', (service: string) => ({ enabled: true, services: [service] })],
      },
    ),
  },
  dashboards: {
    '': drafts({
      header: field(fc.constantFrom(null, 'Shop')),
      tags: field(tags),
      width: field(fc.constantFrom('FULL', '960PX')),
      paginate: field(fc.boolean()),
    }),
  },
};
