/** `sonde service seed`: a file becomes a service, once and for all. */
import { afterEach, describe, expect, it } from 'vitest';
import { command as exportCommand } from '../../../commands/service/export.ts';
import { command as seed } from '../../../commands/service/seed.ts';
import { envOf, well } from '../../cli/resources/journey.ts';
import { runLine } from '../../support/command.ts';
import { send } from '../../support/send.ts';
import { startTestService, type TestService } from '../../support/service.ts';

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
    expect(again.stderr).toBe('No changes. 12 resources are up to date.\n');
    const file = await well(exportCommand, [], { env });
    const back = await well(seed, ['-'], { env, input: file.stdout });
    expect(back.stderr).toBe('No changes. 12 resources are up to date.\n');
  });

  it("reads a window's bare dates in the time zone that the file says", async () => {
    const env = envOf(await serviceOf());
    await well(seed, ['f'], { env, files: { f: FILE } });
    const moved = FILE.replace('Europe/Berlin', 'America/New_York');
    const { stderr } = await well(seed, ['f'], { env, files: { f: moved } });
    expect(stderr).toContain('maintenance window Upgrade updated');
    const { stdout } = await well(exportCommand, ['--json'], { env });
    expect(JSON.parse(stdout).maintenanceWindows[0].startsAt).toBe('2026-11-22T05:00:00.000Z');
    expect((await well(seed, ['f'], { env, files: { f: moved } })).stderr).toContain('12 unchanged');
  });

  it('changes by its name what differs, and nothing else', async () => {
    const env = envOf(await serviceOf());
    await well(seed, ['f'], { env, files: { f: FILE } });
    const other = FILE.replace('recordType: AAAA', 'recordType: MX')
      .replace('eu-west-1', 'us-east-1')
      .replace('name: All', 'name: Most');
    const dry = await well(seed, ['f', '--dry-run'], { env, files: { f: other } });
    expect(dry.stderr).toContain('Preview: 3 updated, 9 unchanged, 1 skipped.');
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

  it('sets what was not set before, whatever it is, and a second run changes nothing', async () => {
    const env = envOf(await serviceOf());
    const bare = `
services: [{ name: Checkout }]
groups: [{ name: Shop }]
checks:
  - { name: Apex, checkType: DNS, request: { query: example.com } }
  - { name: Home, checkType: URL, request: { url: https://a.test } }
statusPages: [{ name: Shop, url: shop, cards: [{ name: All, services: [Checkout] }] }]
maintenanceWindows: [{ name: Upgrade, startsAt: 2026-11-22T00:00:00Z, endsAt: 2026-11-23T00:00:00Z }]
`;
    expect((await well(seed, ['f'], { env, files: { f: bare } })).stderr).toContain('6 created');
    const more: Readonly<Record<string, readonly [string, string]>> = {
      'check Apex': [
        'query: example.com }',
        'query: example.com, nameServer: 192.0.2.1, port: 5353 }, tags: [a]',
      ],
      'check Home': [
        'https://a.test }',
        'https://a.test }, retryStrategy: { type: LINEAR, maxRetries: 3 }, triggerIncident: { service: Checkout, name: Down, severity: MAJOR }',
      ],
      'check group Shop': ['{ name: Shop }', '{ name: Shop, retryStrategy: { type: FIXED, maxRetries: 1 } }'],
      'status page shop': ['url: shop,', 'url: shop, description: Ours, logo: https://a.test/a.png,'],
      'maintenance window Upgrade': [
        '{ name: Upgrade,',
        '{ name: Upgrade, tags: [a], silenceAllAlerts: true,',
      ],
    };
    const whole = Object.values(more).reduce((file, [from, to]) => file.replace(from, to), bare);
    const { stderr } = await well(seed, ['f'], { env, files: { f: whole } });
    for (const name of Object.keys(more)) expect(stderr).toContain(`${name} updated`);
    const again = await well(seed, ['f'], { env, files: { f: whole } });
    expect(again.stderr).toBe('No changes. 6 resources are up to date.\n');
    const check = await well(exportCommand, [], { env });
    for (const field of ['nameServer', 'maxRetries', 'triggerIncident', 'description', 'silenceAllAlerts'])
      expect(check.stdout).toContain(field);
  });

  it('refuses to make one type of check of another, and makes a second of the name beside it', async () => {
    const env = envOf(await serviceOf());
    const of = (...types: readonly string[]) =>
      `checks:\n${types.map((type) => `  - { name: Shop, checkType: ${type}, request: { url: https://a.test } }\n`).join('')}`;
    await well(seed, ['f'], { env, files: { f: of('URL') } });
    const { code, stderr } = await runLine(seed, ['f'], { env, files: { f: of('API') } });
    expect(code).toBe(2);
    expect(stderr).toContain('f:2:19 the type of check "Shop" cannot change from url');
    const both = await well(seed, ['f'], { env, files: { f: of('API', 'URL') } });
    expect(both.stderr).toContain('1 created, 1 unchanged');
    const again = await well(seed, ['f'], { env, files: { f: of('URL', 'API') } });
    expect(again.stderr).toContain('2 resources are up to date');
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
    expect(stderr).toContain('shop.yaml:10:5 check group "Shoppe" not found');
    expect(stderr).toContain('did you mean Shop?');
    expect(stderr).toMatch(/shop\.yaml:11:\d+ request\.recordType must be one of/);
    expect(stderr).toMatch(/shop\.yaml:\d+:\d+ service "Basket" not found/);
    expect(stderr).toMatch(/shop\.yaml:\d+:1 unknown section "dashbords"/);
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
      'stopped at dashboards: wall; before that: 11 created, 1 unchanged, 1 skipped; remaining: 1.',
    );
  });
});
