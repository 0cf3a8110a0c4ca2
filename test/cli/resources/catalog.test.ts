/** The table of things: each is listed by a real service with an id and what people know it by, and each id names one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandFiles, loadCommands } from '../../../scripts/manifest.mjs';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import type { ResourceName } from '../../../src/cli/framework/options.ts';
import { type Candidate, catalog, formatCandidate, toCandidate } from '../../../src/cli/resources/catalog.ts';
import { listCandidates } from '../../../src/cli/resources/find-resources.ts';
import { type Client, createClient } from '../../../src/client/index.ts';
import {
  type LoopbackNameServer,
  startLoopbackNameServer,
} from '../../../src/runners/dns/loopback-server.ts';
import { cert, key as privateKey } from '../../client/certificate.ts';
import { dnsCheck } from '../../e2e/world.ts';
import { send } from '../../support/send.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let names: LoopbackNameServer;
let client: Client;
const made: Partial<Record<ResourceName, string>> = {};

async function make(line: string, body: unknown): Promise<Readonly<Record<string, string>>> {
  const answer = await send(service, line, body);
  if (answer.status >= 300) throw new Error(`${line}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as Readonly<Record<string, string>>;
}

beforeAll(async () => {
  service = await startTestService();
  names = await startLoopbackNameServer({ records: {} });
  client = createClient({
    baseUrl: service.url,
    accountId: service.accountId,
    getKey: async () => service.apiKey,
    userAgent: 'sonde-test',
    clock: systemClock,
    random: systemRandom,
  });
  const check = dnsCheck({ names }, 'Apex record', 'gone.test');
  const { id: checkId } = await make('POST /v1/checks/dns', check);
  const { testSessionId } = await make('POST /v1/test-sessions/trigger', {
    name: 'Before release',
    runLocation: 'eu-west-1',
    target: { checkId: [checkId] },
  });
  const started = await make('POST /v2/check-sessions/trigger', { target: { checkId: [checkId] } });
  const [session] = started.sessions as unknown as { checkSessionId: string }[];
  await send(service, `GET /v2/check-sessions/${session?.checkSessionId}/completion?maxWaitSeconds=30`);
  const { key } = await make('POST /v1/variables', { key: 'SHOP_USER', value: 'x', secret: true });
  const id = async (line: string, body: unknown) => String((await make(line, body)).id);
  Object.assign(made, {
    check: checkId,
    'check-or-group': checkId,
    session: session?.checkSessionId,
    'test-session': testSessionId,
    variable: key,
    dashboard: (await make('POST /v1/dashboards', { header: 'Wall', customUrl: 'wall' })).dashboardId,
    group: await id('POST /v1/check-groups', { name: 'Shop' }),
    'maintenance-window': await id('POST /v1/maintenance-windows', {
      name: 'Upgrade',
      startsAt: '2026-11-21T10:00:00Z',
      endsAt: '2026-11-21T11:00:00Z',
      repeatUnit: null,
    }),
    'private-location': await id('POST /v1/private-locations', { name: 'Cellar', slugName: 'cellar' }),
    'alert-channel': await id('POST /v1/alert-channels', {
      type: 'EMAIL',
      config: { address: 'ops@example.test' },
    }),
    service: await id('POST /v1/status-pages/services', { name: 'Checkout' }),
    snippet: await id('POST /v1/snippets', { name: 'Sign in', script: '//' }),
    'client-certificate': await id('POST /v1/client-certificates', {
      ...{ host: 'api.test', cert, key: privateKey },
    }),
    'status-page': await id('POST /v1/status-pages', { name: 'Shop', url: 'shop', cards: [] }),
  });
  made.incident = await id('POST /v1/status-pages/incidents', {
    name: 'Slow',
    severity: 'MINOR',
    services: [{ id: made.service }],
    incidentUpdates: [{ description: 'Looking', status: 'INVESTIGATING' }],
  });
});
afterAll(async () => {
  await Promise.all([client.close(), service.close(), names.close()]);
});

const list = (name: ResourceName, parent?: string): Promise<readonly Candidate[]> =>
  listCandidates(client, catalog[name], { limit: 10, now: Date.now(), parentId: parent });

describe('things', () => {
  it.each([
    ['alert-channel', 'ops@example.test, EMAIL'],
    ['check', 'Apex record, DNS'],
    ['check-or-group', 'Apex record, DNS'],
    ['client-certificate', /^api\.test, (?:now|\ds ago)$/],
    ['dashboard', 'Wall'],
    ['group', 'Shop'],
    ['incident', /^Slow, MINOR, INVESTIGATING, (?:now|\ds ago)$/],
    ['service', 'Checkout'],
    ['private-location', 'Cellar, cellar'],
    ['session', /^FAILED Apex record, (?:now|\ds ago)$/],
    ['snippet', 'Sign in'],
    ['status-page', 'Shop, shop'],
    ['test-session', /^\w+ Before release, (?:now|\ds ago)$/],
    ['variable', 'secret'],
    ['maintenance-window', /^Upgrade, (?:in \S+|\S+ ago|now)$/],
  ] as const)('lists a %s with its id and what it is known by', async (name, label) => {
    const found = (await list(name)).find(({ id }) => id === made[name]);
    expect(found).toBeDefined();
    expect(found && formatCandidate(found, Date.now())).toEqual(
      typeof label === 'string' ? label : expect.stringMatching(label),
    );
  });

  it('lists groups beside checks where either may be meant, and says which', async () => {
    const found = (await list('check-or-group')).find(({ id }) => id === made.group);
    expect(found && formatCandidate(found, Date.now())).toBe('Shop, check group');
  });

  it('lists the error groups of a check', async () => {
    const [group] = await list('error-group', made.check);
    expect(group && formatCandidate(group, Date.now())).toMatch(/NXDOMAIN.*, (?:now|\S+ ago)$/);
  });

  it('lists what is nearest in time first, whatever the order of the service', async () => {
    const answer = [
      { id: 1, startsAt: '2026-11-01T10:00:00Z' },
      { id: 2, startsAt: '2026-12-24T10:00:00Z' },
      { id: 3, startsAt: '2026-11-22T10:00:00Z' },
    ];
    const pages = async function* () {
      yield { entries: answer };
    } as unknown as Client['pages'];
    const now = Date.parse('2026-11-21T10:00:00Z');
    const found = await listCandidates({ pages }, catalog['maintenance-window'], { limit: 10, now });
    expect(found.map(({ id }) => id)).toEqual(['3', '1', '2']);
  });

  it('believes nothing of an entry: what is no text is left out, and what drives a terminal', () => {
    const hostile = { id: 'a', name: 'one\n\x1b[2Jtwo', checkType: { not: 'text' } };
    expect(toCandidate(catalog.check, hostile)).toEqual({ id: 'a', name: 'one two', notes: [] });
    expect(toCandidate(catalog.check, { id: null, name: 'nobody' })).toBeUndefined();
    expect(toCandidate(catalog.check, 'text')).toBeUndefined();
  });

  it('is named by every argument that fills the path of an endpoint', async () => {
    const { commands } = await loadCommands(await commandFiles());
    const nameless = commands.flatMap(({ name, arguments: given = {} }) =>
      Object.values(given).flatMap(({ param, of }) =>
        param !== undefined && of === undefined ? [`${name} ${param}`] : [],
      ),
    );
    // Nothing lists keys but the private location that they belong to.
    expect(nameless).toEqual(['private-locations delete-key keyId']);
  });
});
