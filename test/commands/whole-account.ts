/** A service with something of every kind that a seed file holds, drawn by chance, whose things name each other. */
import fc from 'fast-check';
import {
  createAgenticCheck,
  createApiCheck,
  createBrowserCheck,
  createCheckGroup,
  createDashboard,
  createDnsCheck,
  createHeartbeatCheck,
  createIcmpCheck,
  createMaintenanceWindow,
  createMultiStepCheck,
  createPlaywrightCheck,
  createPrivateLocation,
  createService,
  createSnippet,
  createStatusPage,
  createTcpCheck,
  createUrlCheck,
  createVariable,
  type Endpoint,
  uploadCodeBundle,
} from '../../src/contract/index.ts';
import { violationsOf } from '../../src/contract/validate.ts';
import { type Known, valuesFrom } from '../support/bodies.ts';
import { send } from '../support/send.ts';
import type { TestService } from '../support/service.ts';

type Fields = Record<string, unknown>;
export type Drawn = Readonly<Record<string, readonly Fields[]>>;
type Ids = Readonly<Record<string, readonly unknown[]>>;

/** Begins every value that nobody may be shown. */
export const SECRET = 'hidden-value-';

const nothing = fc.constant(undefined);
/** The place of one among those made before; which of them, the making decides. */
const place = fc.nat(9);
const places = fc.array(place, { maxLength: 2 });
/** What is hidden is known again by how it begins. */
function marked<T>(pair: T): T {
  const { secret, locked, value } = pair as Fields;
  return secret === true || locked === true ? { ...pair, value: `${SECRET}${value}` } : pair;
}
const pairs = (hides: boolean) =>
  fc.uniqueArray(
    fc
      .record(
        {
          key: fc.stringMatching(/^[A-Z]{1,6}$/),
          value: fc.stringMatching(/^[ -~]{0,20}$/),
          locked: hides ? fc.boolean() : fc.constant(false),
        },
        { requiredKeys: ['key', 'value'] },
      )
      .map(marked),
    { maxLength: 3, selector: ({ key }) => key },
  );

function variables(endpoint: Endpoint, hides: boolean): fc.Arbitrary<unknown> {
  const item = endpoint.body?.properties?.environmentVariables?.items ?? {};
  const switches = hides ? {} : { secret: nothing, locked: nothing };
  const one = valuesFrom(item, { ...switches, key: fc.stringMatching(/^[A-Z]{1,6}$/) });
  return fc.option(
    fc.uniqueArray(one.map(marked), { maxLength: 3, selector: (each) => (each as Fields).key }),
  );
}

/** What a schema does not tell: other things by their places. */
const KNOWN: Known = {
  groupId: fc.option(place),
  setupSnippetId: fc.option(place),
  tearDownSnippetId: fc.option(place),
  alertChannelSubscriptions: fc.uniqueArray(fc.record({ alertChannelId: place, activated: fc.boolean() }), {
    maxLength: 2,
    selector: ({ alertChannelId }) => alertChannelId % 2,
  }),
  privateLocations: places,
  'cards[].services': places,
  'cards[].id': nothing,
  'cards[].statusPageId': nothing,
  'statusPageVisibility.statusPageIds': places,
  'statusPageVisibility.serviceIds': places,
  'triggerIncident.serviceId': place,
  'request.url': fc.webUrl(),
  'request.hostname': fc.domain(),
  'request.query': fc.domain(),
  'request.nameServer': fc.ipV4(),
  'request.sslConfig.hostname': fc.domain(),
  'request.sslConfig.serverName': fc.domain(),
  frequency: fc.constant(10),
  frequencyOffset: fc.integer({ min: 1, max: 100 }),
};

const bodiesOf = (endpoint: Endpoint, known: Known = {}): fc.Arbitrary<Fields[]> =>
  fc.array(valuesFrom(endpoint.body ?? {}, { ...KNOWN, ...known }) as fc.Arbitrary<Fields>, { maxLength: 2 });

const texts = fc.oneof(
  fc.constantFrom('yes', '1e3', '# a', 'a: b', '  leads', 'two\nlines', '検索', '~'),
  fc.string(),
);
const names = texts.filter((text) => text.trim() !== '');

const channels = (hides: boolean) => {
  const config = fc.oneof(
    fc.record({ type: fc.constant('EMAIL'), config: fc.constant({ address: 'ops@example.test' }) }),
    fc.record({
      type: fc.constant('SMS'),
      config: fc.record({ number: fc.constantFrom('+49 170 1', '0170123'), name: names }),
    }),
    fc.record({ type: fc.constant('SLACK'), config: fc.constant({ url: 'https://slack.test/a' }) }),
    fc.constantFrom<Fields>(
      { type: 'SLACK_APP', config: { token: SECRET, slackChannels: ['#ops'] } },
      { type: 'PAGERDUTY', config: { serviceKey: SECRET, serviceName: 'Shop' } },
      { type: 'TELEGRAM', config: { apiKey: SECRET, chatId: '-1' } },
      { type: 'NTFY', config: { topic: SECRET, token: SECRET } },
    ),
    fc.record({
      type: fc.constant('WEBHOOK'),
      config: fc.record(
        {
          name: names,
          url: fc.webUrl({ withFragments: true }),
          method: fc.constantFrom('POST', 'PUT'),
          headers: pairs(hides),
          queryParameters: pairs(hides),
          template: texts.filter((text) => !text.includes('{{')),
          ...(hides ? { webhookSecret: fc.constant(SECRET) } : {}),
        },
        { requiredKeys: ['name', 'url'] },
      ),
    }),
  );
  const switches = fc.record(
    {
      sendFailure: fc.boolean(),
      sendRecovery: fc.boolean(),
      sslExpiry: fc.boolean(),
      sslExpiryThreshold: fc.integer({ min: 1, max: 30 }),
    },
    { requiredKeys: [] },
  );
  return fc.array(
    fc.tuple(config, switches).map(([one, two]): Fields => ({ ...one, ...two })),
    { maxLength: 2 },
  );
};

/** The credentials of Playwright options. */
const credentials = (hides: boolean) =>
  hides
    ? { 'playwrightConfig.use.httpCredentials.password': fc.constant(SECRET) }
    : { 'playwrightConfig.use.httpCredentials': nothing };

/** `hides`: whether it holds what answers never show. */
export const drawn = (hides: boolean): fc.Arbitrary<Drawn> =>
  fc.record({
    snippets: bodiesOf(createSnippet),
    variables: bodiesOf(createVariable, hides ? {} : { secret: nothing, locked: nothing }).map((list) =>
      list.map(marked),
    ),
    privateLocations: bodiesOf(createPrivateLocation),
    channels: channels(hides),
    services: bodiesOf(createService),
    groups: bodiesOf(createCheckGroup, {
      environmentVariables: variables(createCheckGroup, hides),
      'apiCheckDefaults.headers': pairs(hides),
      'apiCheckDefaults.queryParameters': pairs(hides),
      ...(hides
        ? { 'apiCheckDefaults.basicAuth.password': fc.constant(SECRET) }
        : { 'apiCheckDefaults.basicAuth': nothing }),
    }),
    dns: bodiesOf(createDnsCheck),
    browser: bodiesOf(createBrowserCheck, {
      environmentVariables: variables(createBrowserCheck, hides),
      ...credentials(hides),
    }),
    url: bodiesOf(createUrlCheck),
    tcp: bodiesOf(createTcpCheck),
    icmp: bodiesOf(createIcmpCheck),
    api: bodiesOf(createApiCheck, {
      environmentVariables: variables(createApiCheck, hides),
      'request.headers': pairs(hides),
      'request.queryParameters': pairs(hides),
      ...(hides ? { 'request.basicAuth.password': fc.constant(SECRET) } : { 'request.basicAuth': nothing }),
    }),
    heartbeat: bodiesOf(createHeartbeatCheck, {
      'heartbeat.cron': fc.constantFrom(null, '30 2 * * *'),
      'heartbeat.timezone': fc.constantFrom(null, 'Europe/Berlin'),
      'heartbeat.period': fc.integer({ min: 30, max: 300 }),
      'heartbeat.grace': fc.integer({ min: 0, max: 300 }),
    }),
    multistep: bodiesOf(createMultiStepCheck, {
      environmentVariables: variables(createMultiStepCheck, hides),
      ...credentials(hides),
    }),
    bundles: fc
      .uniqueArray(
        fc.string().map((text) => Buffer.from(`PK\x03\x04${text}`).toString('base64')),
        { maxLength: 2 },
      )
      .map((archives) => archives.map((archive): Fields => ({ archive }))),
    playwright: bodiesOf(createPlaywrightCheck, {
      codeBundleId: place,
      environmentVariables: variables(createPlaywrightCheck, hides),
    }),
    agentic: bodiesOf(createAgenticCheck, { environmentVariables: variables(createAgenticCheck, hides) }),
    pages: bodiesOf(createStatusPage),
    windows: bodiesOf(createMaintenanceWindow, {
      startsAt: fc.constantFrom('2026-11-22', '2027-02-28T10:00:00Z'),
      endsAt: fc.constantFrom('2027-03-01', '2027-03-01T01:00:00+01:00'),
      repeatEndsAt: fc.constantFrom(null, '2028-02-29'),
      timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe'),
    }),
    dashboards: bodiesOf(createDashboard),
  });

/** One of those at a place, where there are any. */
const at = (ids: readonly unknown[] | undefined, index: unknown): unknown =>
  ids && ids.length > 0 ? ids[Number(index) % ids.length] : undefined;
const allAt = (ids: readonly unknown[] | undefined, list: unknown): unknown[] =>
  Array.isArray(list)
    ? [...new Set(list.map((index) => at(ids, index)))].filter((id) => id !== undefined)
    : [];

/** Puts ids where places stand. */
function named(body: Fields, ids: Ids): Fields {
  const fields: Fields = { ...body };
  const put = (name: string, value: unknown) => {
    if (value === undefined) delete fields[name];
    else fields[name] = value;
  };
  const one = (name: string, of: string) => {
    if (typeof fields[name] === 'number') put(name, at(ids[of], fields[name]));
  };
  one('groupId', 'groups');
  one('codeBundleId', 'bundles');
  one('setupSnippetId', 'snippets');
  one('tearDownSnippetId', 'snippets');
  if (Array.isArray(fields.privateLocations))
    put('privateLocations', allAt(ids.slugs, fields.privateLocations));
  if (Array.isArray(fields.alertChannelSubscriptions)) {
    const told = new Map<unknown, Fields>();
    for (const { alertChannelId, activated } of fields.alertChannelSubscriptions as Fields[]) {
      const id = at(ids.channels, alertChannelId);
      if (id !== undefined) told.set(id, { alertChannelId: id, activated });
    }
    put('alertChannelSubscriptions', [...told.values()]);
  }
  const { triggerIncident, statusPageVisibility: shown, cards } = fields as Readonly<Record<string, Fields>>;
  if (triggerIncident) {
    const serviceId = at(ids.services, triggerIncident.serviceId);
    put('triggerIncident', serviceId && { ...triggerIncident, serviceId });
  }
  if (shown) {
    put('statusPageVisibility', {
      ...shown,
      ...('statusPageIds' in shown ? { statusPageIds: allAt(ids.pages, shown.statusPageIds) } : {}),
      ...('serviceIds' in shown ? { serviceIds: allAt(ids.services, shown.serviceIds) } : {}),
    });
  }
  if (Array.isArray(cards)) {
    put(
      'cards',
      (cards as Fields[]).map((card) => ({
        ...card,
        ...('services' in card ? { services: allAt(ids.services, card.services).map((id) => ({ id })) } : {}),
      })),
    );
  }
  return fields;
}

/** What YAML could mistake stands before a number of its own. */
const unique = (list: readonly Fields[], key: string, mark = ''): Fields[] =>
  list.map((body, index) => ({ ...body, [key]: `${String(body[key] ?? '').slice(0, 20)}${mark}${index}` }));

const KINDS = [
  ['snippets', 'POST /v1/snippets', createSnippet, 'id'],
  ['variables', 'POST /v1/variables', createVariable, 'key'],
  ['privateLocations', 'POST /v1/private-locations', createPrivateLocation, 'slugName'],
  ['channels', 'POST /v1/alert-channels', undefined, 'id'],
  ['services', 'POST /v1/status-pages/services', createService, 'id'],
  ['groups', 'POST /v1/check-groups?autoAssignAlerts=false', createCheckGroup, 'id'],
  ['dns', 'POST /v1/checks/dns?autoAssignAlerts=false', createDnsCheck, 'id'],
  ['browser', 'POST /v1/checks/browser?autoAssignAlerts=false', createBrowserCheck, 'id'],
  ['url', 'POST /v1/checks/url?autoAssignAlerts=false', createUrlCheck, 'id'],
  ['tcp', 'POST /v1/checks/tcp?autoAssignAlerts=false', createTcpCheck, 'id'],
  ['icmp', 'POST /v1/checks/icmp?autoAssignAlerts=false', createIcmpCheck, 'id'],
  ['api', 'POST /v1/checks/api?autoAssignAlerts=false', createApiCheck, 'id'],
  ['heartbeat', 'POST /v1/checks/heartbeat?autoAssignAlerts=false', createHeartbeatCheck, 'id'],
  ['multistep', 'POST /v1/checks/multistep?autoAssignAlerts=false', createMultiStepCheck, 'id'],
  ['bundles', 'POST /v1/code-bundles', uploadCodeBundle, 'id'],
  ['playwright', 'POST /v1/checks/playwright?autoAssignAlerts=false', createPlaywrightCheck, 'id'],
  ['agentic', 'POST /v1/checks/agentic?autoAssignAlerts=false', createAgenticCheck, 'id'],
  ['pages', 'POST /v1/status-pages', createStatusPage, 'id'],
  ['windows', 'POST /v1/maintenance-windows', createMaintenanceWindow, 'id'],
  ['dashboards', 'POST /v1/dashboards', createDashboard, 'dashboardId'],
] as const;

/** Makes it all. `mark`: what slugs have in them, which belong to a service. Gives how many of each kind were made. */
export async function makeAll(
  service: TestService,
  whole: Drawn,
  mark: string,
): Promise<Readonly<Record<string, number>>> {
  const ids: Record<string, unknown[]> = {};
  const counts: Record<string, number> = {};
  const keyed = (kind: string, bodies: readonly Fields[]): Fields[] => {
    if (kind === 'variables') return unique(bodies, 'key', '_');
    if (kind === 'privateLocations')
      return unique(bodies, 'slugName', '-').map((body) => ({
        ...body,
        slugName: String(body.slugName).slice(-30),
      }));
    if (kind === 'pages') return bodies.map((body, index) => ({ ...body, url: `p-${mark}-${index}` }));
    if (kind === 'dashboards') return unique(bodies, 'customUrl', `-${mark}-`);
    if (kind === 'channels') return bodies.map((body, index) => channelOf(body, index));
    if (kind === 'bundles') return [...bodies];
    return unique(bodies, 'name', kind.slice(0, 2));
  };
  for (const [kind, line, endpoint, key] of KINDS) {
    const made: unknown[] = [];
    for (const body of keyed(kind, whole[kind] ?? [])) {
      const request = named(body, { ...ids, slugs: ids.privateLocations ?? [] });
      if (endpoint && violationsOf(endpoint, { body: request }, 0).length > 0) continue;
      const { status, body: answer } = await send(service, line, request);
      // What the service judges beyond the contract is none of the file's.
      if (status >= 500) throw new Error(`${line}: ${JSON.stringify(answer)}`);
      if (status < 300) made.push((answer as Fields)[key]);
    }
    ids[kind] = made;
    counts[kind] = made.length;
  }
  return counts;
}

/** A channel is known by its name, or by where it leads. */
function channelOf(body: Fields, index: number): Fields {
  const config = body.config as Fields;
  if (body.type === 'EMAIL') return { ...body, config: { address: `ops${index}@example.test` } };
  if (body.type === 'SLACK') return { ...body, config: { url: `https://slack.test/${index}` } };
  return { ...body, config: { ...config, name: `${String(config.name).slice(0, 20)}${index}` } };
}
