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
    expect(dry.stdout).toContain('+ create check "Apex"');
    expect(dry.stdout).toContain('Plan: 12 to create, 1 skipped.');
    const first = await well(seed, ['f', '--json'], { env, files: { f: FILE } });
    expect(first.stderr).toContain('Applied: 12 created, 1 skipped.');
    expect(JSON.parse(first.stdout)).toHaveLength(13);
    const again = await well(seed, ['f'], { env, files: { f: FILE.replace(/ {2}- \{ key: TOKEN.*\n/, '') } });
    expect(again.stderr).toContain('No changes. 12 resources are up to date.\n');
    const file = await well(exportCommand, [], { env });
    const back = await well(seed, ['-'], { env, input: file.stdout });
    expect(back.stderr).toContain('No changes. 12 resources are up to date.\n');
  });

  it("reads a window's bare dates in the time zone that the file says", async () => {
    const env = envOf(await serviceOf());
    await well(seed, ['f'], { env, files: { f: FILE } });
    const moved = FILE.replace('Europe/Berlin', 'America/New_York');
    const { stderr } = await well(seed, ['f'], { env, files: { f: moved } });
    expect(stderr).toContain('~ update maintenance window "Upgrade"');
    const { stdout } = await well(exportCommand, ['--json'], { env });
    expect(JSON.parse(stdout).maintenanceWindows[0].startsAt).toBe('2026-11-22T05:00:00.000Z');
    expect((await well(seed, ['f'], { env, files: { f: moved } })).stderr).toContain('No changes.');
  });

  it('changes by its name what differs, and nothing else', async () => {
    const env = envOf(await serviceOf());
    await well(seed, ['f'], { env, files: { f: FILE } });
    const other = FILE.replace('recordType: AAAA', 'recordType: MX')
      .replace('eu-west-1', 'us-east-1')
      .replace('name: All', 'name: Most');
    const { stderr } = await well(seed, ['f'], { env, files: { f: other } });
    for (const name of ['check group "Shop"', 'check "Apex"', 'status page "shop"'])
      expect(stderr).toContain(`~ update ${name}`);
    expect(stderr).toContain('Applied: 3 updated, 9 unchanged, 1 skipped.');
    expect((await well(seed, ['f'], { env, files: { f: other } })).stderr).toContain('No changes.');
  });

  it('sets and clears fields, whatever they are', async () => {
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
      'check "Apex"': [
        'query: example.com }',
        'query: example.com, nameServer: 192.0.2.1, port: 5353 }, tags: [a], alertSettings: { reminders: { amount: 2 } }',
      ],
      'check "Home"': [
        'https://a.test }',
        'https://a.test }, retryStrategy: { type: LINEAR, maxRetries: 3 }, triggerIncident: { service: Checkout, name: Down, severity: MAJOR }',
      ],
      'check group "Shop"': [
        '{ name: Shop }',
        '{ name: Shop, retryStrategy: { type: FIXED, maxRetries: 1 } }',
      ],
      'status page "shop"': [
        'url: shop,',
        'url: shop, isPrivate: true, description: Ours, logo: https://a.test/a.png,',
      ],
      'maintenance window "Upgrade"': [
        '{ name: Upgrade,',
        '{ name: Upgrade, tags: [a], silenceAllAlerts: true, repeatInterval: 1, repeatUnit: WEEK,',
      ],
    };
    const whole = Object.values(more).reduce((file, [from, to]) => file.replace(from, to), bare);
    for (const file of [whole, bare]) {
      const { stderr } = await well(seed, ['f'], { env, files: { f: file } });
      for (const name of Object.keys(more)) expect(stderr).toContain(`~ update ${name}`);
      const again = await well(seed, ['f'], { env, files: { f: file } });
      expect(again.stderr).toContain('No changes. 6 resources are up to date.\n');
    }
  });

  it('refuses to make one type of check of another', async () => {
    const env = envOf(await serviceOf());
    const of = (type: string) =>
      `checks:\n  - { name: Shop, checkType: ${type}, request: { url: https://a.test } }\n`;
    await well(seed, ['f'], { env, files: { f: of('URL') } });
    const { code, stderr } = await runLine(seed, ['f'], { env, files: { f: of('API') } });
    expect(code).toBe(2);
    expect(stderr).toContain('f:2:19: the type of check "Shop" cannot change from URL to API');
  });

  it('tells all that is wrong at once, with line and column, and sends nothing', async () => {
    const service = await serviceOf();
    const bad = FILE.replace('group: Shop', 'group: Shoppe')
      .replace('recordType: AAAA', 'recordType: AAAAA')
      .replace('services: [Checkout] }\nmaint', 'services: [Basket] }\nmaint');
    const { code, stderr } = await runLine(seed, ['shop.yaml'], {
      env: envOf(service),
      files: { 'shop.yaml': bad },
    });
    expect(code).toBe(2);
    expect(stderr).toContain('shop.yaml:10:5 check group "Shoppe" not found');
    expect(stderr).toContain('did you mean Shop?');
    expect(stderr).toMatch(/shop\.yaml:11:\d+ request\.recordType must be one of/);
    expect(stderr).toMatch(/shop\.yaml:\d+:\d+ service "Basket" not found/);
    expect(await service.store.groups.list(service.accountId, { limit: 9, offset: 0 })).toEqual([]);
  });

  it('tells what was done where it stops half way, and goes on from there', async () => {
    const service = await serviceOf();
    const other = { ...service, ...(await service.newAccount()) };
    await send(other, 'POST /v1/status-pages', { name: 'Shop', url: 'shop', cards: [] });
    const env = envOf(service);
    const { code, stderr } = await runLine(seed, ['f'], { env, files: { f: FILE } });
    expect(code).toBe(3);
    expect(stderr).toMatch(/stopped before the plan was complete: 9 created, 1 skipped; 3 left/);
    const next = FILE.replaceAll('url: shop', 'url: store').replace('[shop]', '[store]');
    expect((await well(seed, ['f'], { env, files: { f: next } })).stderr).toContain(
      'Applied: 3 created, 9 unchanged',
    );
  });
});
