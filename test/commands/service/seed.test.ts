/** `sonde service seed` and `export`: a file becomes a service and a service the same file, whatever it holds. */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { command as exportCommand } from '../../../commands/service/export.ts';
import { command as seed } from '../../../commands/service/seed.ts';
import {
  createBrowserCheck,
  createCheckGroup,
  createDashboard,
  createDnsCheck,
  type Endpoint,
} from '../../../src/contract/index.ts';
import { violationsOf } from '../../../src/contract/validate.ts';
import { type Known, valuesFrom } from '../../support/bodies.ts';
import { runLine } from '../../support/command.ts';
import { send } from '../../support/send.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { envOf, well } from '../resources/journey.ts';

const open: TestService[] = [];
async function serviceOf(): Promise<TestService> {
  const service = await startTestService();
  open.push(service);
  return service;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((service) => service.close()));
});

const FILE = `
groups:
  - name: Shop
    locations: [eu-west-1]
    alertChannelSubscriptions:
      - { alertChannel: Deploys, activated: true }
checks:
  - name: Apex
    checkType: DNS
    group: Shop
    request: { query: example.com, recordType: AAAA }
    tags: [a]
    triggerIncident: { service: Checkout, name: Down, severity: MAJOR }
    alertChannelSubscriptions:
      - { alertChannel: ops@example.test, activated: true }
  - name: Login
    checkType: BROWSER
    script: one()
    privateLocations: [cellar]
alertChannels:
  - { type: EMAIL, config: { address: ops@example.test } }
  - { type: WEBHOOK, config: { name: Deploys, url: https://hooks.test/ } }
services:
  - name: Checkout
privateLocations:
  - { name: Cellar, slugName: cellar }
snippets:
  - { name: Sign in, script: go() }
variables:
  - { key: SHOP_URL, value: https://shop.test }
  - { key: TOKEN, secret: true }
statusPages:
  - name: Shop
    url: shop
    cards:
      - { name: All, services: [Checkout] }
maintenanceWindows:
  - name: Upgrade
    startsAt: 2026-11-22
    endsAt: 2026-11-23T03:00:00+01:00
    timezone: Europe/Berlin
    repeatUnit: null
    statusPageVisibility: { enabled: true, statusPages: [shop], services: [Checkout] }
dashboards:
  - { header: Wall, customUrl: wall }
`;

describe('service seed', () => {
  it('makes all of a file, whose things name each other; a second run changes nothing and says so', async () => {
    const env = envOf(await serviceOf());
    const dry = await well(seed, ['f', '--dry-run'], { env, files: { f: FILE } });
    expect(dry.stderr).toContain('check Apex would be created');
    const first = await well(seed, ['f', '--json'], { env, files: { f: FILE } });
    expect(first.stderr).toContain('12 created, 1 skipped.');
    expect(JSON.parse(first.stdout)).toHaveLength(13);
    const again = await well(seed, ['f'], { env, files: { f: FILE.replace(/ {2}- \{ key: TOKEN.*\n/, '') } });
    expect(again.stderr).toBe('The service is so already: 12 unchanged.\n');
    const file = await well(exportCommand, [], { env });
    const back = await well(seed, ['-'], { env, input: file.stdout });
    expect(back.stderr).toBe('The service is so already: 12 unchanged.\n');
  });

  it('changes by its name what differs, and nothing else', async () => {
    const env = envOf(await serviceOf());
    await well(seed, ['f'], { env, files: { f: FILE } });
    const other = FILE.replace('recordType: AAAA', 'recordType: MX')
      .replace('eu-west-1', 'us-east-1')
      .replace('name: All', 'name: Most');
    const dry = await well(seed, ['f', '--dry-run'], { env, files: { f: other } });
    expect(dry.stderr).toContain('Would be: 3 updated, 9 unchanged, 1 skipped.');
    const { stderr } = await well(seed, ['f'], { env, files: { f: other } });
    expect(stderr).toContain(
      'check group Shop updated\ncheck Apex updated\nstatus page Shop updated\n'.replace(
        'page Shop',
        'page shop',
      ),
    );
    const again = await well(seed, ['f'], { env, files: { f: other } });
    expect(again.stderr).toContain('12 unchanged');
  });

  it('tells all that is wrong at once, with line and column, and sends nothing', async () => {
    const service = await serviceOf();
    const bad = FILE.replace('group: Shop', 'group: Shoppe')
      .replace('recordType: AAAA', 'recordType: AAAAA')
      .replace('services: [Checkout] }\nmaint', 'services: [Basket] }\nmaint')
      .replace('dashboards:', 'dashbords:');
    const { code, stderr } = await runLine(seed, ['shop.yaml'], {
      env: envOf(service),
      files: { 'shop.yaml': bad },
    });
    expect(code).toBe(2);
    expect(stderr).toContain('shop.yaml:10:5 "Shoppe" is no check group');
    expect(stderr).toContain('did you mean Shop?');
    expect(stderr).toMatch(/shop\.yaml:11:\d+ request\.recordType must be one of/);
    expect(stderr).toMatch(/shop\.yaml:\d+:\d+ "Basket" is no service/);
    expect(stderr).toMatch(/shop\.yaml:\d+:1 "dashbords" is no section/);
    expect(await service.store.groups.list(service.accountId, { limit: 9, offset: 0 })).toEqual([]);
  });

  it('tells what was done where it stops half way, and goes on from there', async () => {
    const service = await serviceOf();
    await send(service, 'POST /v1/status-pages/services', { name: 'Checkout' });
    const twice = `${FILE}\n  - { header: Other, customUrl: wall }\n`.replace(
      'customUrl: wall }\n\n',
      'customUrl: wall }\n',
    );
    const { code, stderr } = await runLine(seed, ['f'], { env: envOf(service), files: { f: twice } });
    expect(code).toBe(3);
    expect(stderr).toContain(
      'stopped at dashboards: wall; before that: 11 created, 1 unchanged, 1 skipped; left: 1.',
    );
  });
});

/** A name of its own for each; what YAML could mistake stands before it. */
const unique = (list: readonly object[], key: string, mark = ''): object[] =>
  list.map((body, index) => {
    const name = String((body as Record<string, unknown>)[key] ?? '').slice(0, 20);
    return { ...body, [key]: `${name}${mark}${index}` };
  });

const bodiesOf = (endpoint: Endpoint, known: Known): fc.Arbitrary<object[]> =>
  fc.array(
    valuesFrom(endpoint.body ?? {}, known).filter(
      (body) => violationsOf(endpoint, { body }, 0).length === 0,
    ) as fc.Arbitrary<object>,
    { maxLength: 2 },
  );

const nothing = fc.constant(undefined);
const HIDDEN: Known = {
  groupId: nothing,
  alertChannelSubscriptions: nothing,
  setupSnippetId: nothing,
  tearDownSnippetId: nothing,
  privateLocations: nothing,
  triggerIncident: nothing,
  'environmentVariables[].secret': nothing,
  'environmentVariables[].locked': nothing,
  'apiCheckDefaults.basicAuth': nothing,
};

it('an export is a file that makes the same service anew, whatever it holds', async () => {
  const files = fc.record({
    groups: bodiesOf(createCheckGroup, HIDDEN),
    dns: bodiesOf(createDnsCheck, {
      ...HIDDEN,
      frequency: fc.constant(10),
      frequencyOffset: fc.integer({ min: 1, max: 100 }),
    }),
    browser: bodiesOf(createBrowserCheck, HIDDEN),
    dashboards: bodiesOf(createDashboard, {}),
  });
  const services = [await serviceOf(), await serviceOf()];
  let run = 0;
  let turn = 0;
  /** An account without anything in it, of the one service and the other in turn: slugs belong to a service. */
  const account = async (): Promise<TestService> => {
    const service = services[turn++ % 2] as TestService;
    return { ...service, ...(await service.newAccount()) };
  };
  await fc.assert(
    fc.asyncProperty(files, async ({ groups, dns, browser, dashboards }) => {
      run += 1;
      const [one, two] = [await account(), await account()];
      const make = async (line: string, bodies: readonly object[]) => {
        for (const body of bodies) {
          const { status, body: answer } = await send(one, line, body);
          // What the service judges beyond the contract is none of the file's.
          if (status >= 500) throw new Error(`${line}: ${JSON.stringify(answer)}`);
        }
      };
      await make('POST /v1/check-groups?autoAssignAlerts=false', unique(groups, 'name'));
      await make('POST /v1/checks/dns?autoAssignAlerts=false', unique(dns, 'name'));
      await make('POST /v1/checks/browser?autoAssignAlerts=false', unique(browser, 'name'));
      await make('POST /v1/dashboards', unique(dashboards, 'customUrl', `-${run}-`));
      const first = await well(exportCommand, [], { env: envOf(one) });
      await well(seed, ['-'], { env: envOf(two), input: first.stdout });
      const second = await well(exportCommand, [], { env: envOf(two) });
      expect(second.stdout).toBe(first.stdout);
      const again = await well(seed, ['-'], { env: envOf(two), input: first.stdout });
      expect(again.stdout).not.toMatch(/^(created|updated)/m);
    }),
    { numRuns: Number(process.env.SONDE_SEED_RUNS ?? 8) },
  );
}, 120_000);
