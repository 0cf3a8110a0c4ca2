/** `sonde service seed` and `export`: a file becomes a service and a service the same file, whatever it holds. */
import { afterEach, describe, expect, it } from 'vitest';
import { command as exportCommand } from '../../../commands/service/export.ts';
import { command as seed } from '../../../commands/service/seed.ts';
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
    expect(again.stderr).toBe('The service is so already: 6 unchanged.\n');
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
    expect(stderr).toContain('f:2:19 the check "Shop" in the service is of the type url');
    const both = await well(seed, ['f'], { env, files: { f: of('API', 'URL') } });
    expect(both.stderr).toContain('1 created, 1 unchanged');
    const again = await well(seed, ['f'], { env, files: { f: of('URL', 'API') } });
    expect(again.stderr).toContain('2 unchanged');
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

  it('leaves hidden values out of an export, and takes them from a file of their own', async () => {
    const [one, two] = [await serviceOf(), await serviceOf()];
    const file = `
variables:
  - { key: TOKEN, value: hidden-1, secret: true }
alertChannels:
  - type: WEBHOOK
    config:
      name: Deploys
      url: https://hooks.test/
      headers: [{ key: X-Key, value: hidden-2, locked: true }, { key: X-Open, value: open }]
      webhookSecret: hidden-3
groups:
  - name: Shop
    environmentVariables: [{ key: PASSWORD, value: hidden-4, secret: true }, { key: USER, value: bob }]
    apiCheckDefaults: { basicAuth: { username: bob, password: hidden-5 } }
checks:
  - name: Login
    checkType: BROWSER
    script: one()
    environmentVariables: [{ key: PIN, value: hidden-6, locked: true }]
`;
    await well(seed, ['f'], { env: envOf(one), files: { f: file } });
    const { stdout, stderr } = await well(exportCommand, [], { env: envOf(one) });
    expect(stdout).not.toContain('hidden-');
    expect(stdout).not.toMatch(/value: ("|')("|')/);
    for (const told of [
      'variable TOKEN',
      'Deploys: X-Key',
      'Deploys: what signs',
      'Shop: PASSWORD',
      'Shop: its password (CHECK_GROUP_SHOP_PASSWORD)',
      'Login: PIN',
    ]) {
      expect(stderr).toContain(told);
    }
    // What is there keeps what it has.
    const back = await well(seed, ['-'], { env: envOf(one), input: stdout });
    expect(back.stderr).toBe('The service is so already: 4 unchanged.\n');

    const without = await well(seed, ['-'], { env: envOf(two), input: stdout });
    expect(without.stderr).toContain('Warning: alert channel Deploys is without X-Key');
    expect(without.stderr).toContain('variable TOKEN left out');
    const thin = await well(exportCommand, [], { env: envOf(two) });
    expect(thin.stdout).not.toContain('PASSWORD');
    expect(thin.stdout).toContain('key: USER');
    expect(without.stderr).toContain(
      'Warning: check group Shop is without PASSWORD, CHECK_GROUP_SHOP_PASSWORD',
    );
    const values = [
      ...['TOKEN=hidden-1', 'X-Key=hidden-2', 'PASSWORD=hidden-4', 'PIN=hidden-6', ''],
      ...['CHECK_GROUP_SHOP_PASSWORD=hidden-5', 'ALERT_CHANNEL_DEPLOYS_WEBHOOK_SECRET=hidden-3'],
    ].join('\n');
    const options = { env: envOf(two), files: { f: stdout, values } };
    const filled = await well(seed, ['f', '--secrets', 'values'], options);
    expect(filled.stderr).toContain('1 created, 3 updated.');
    expect(filled.stderr + filled.stdout).not.toContain('hidden-');
    expect((await well(exportCommand, [], { env: envOf(two) })).stdout).toBe(stdout);
    const stored = await two.store.groups.list(two.accountId, { limit: 9, offset: 0 });
    expect(stored[0]?.body.environmentVariables?.[0]?.value).toBe('hidden-4');
    expect(stored[0]?.body.apiCheckDefaults?.basicAuth?.password).toBe('hidden-5');
    const [channel] = await two.store.alertChannels.list(two.accountId, { limit: 9, offset: 0 });
    expect(channel?.body.config).toMatchObject({ webhookSecret: 'hidden-3' });
  });

  it('leaves out of an export what names something that is gone, and says so', async () => {
    const [one, two] = [await serviceOf(), await serviceOf()];
    const file = `
services:
  - { name: Old }
  - { name: New }
statusPages:
  - { name: Shop, url: shop, cards: [{ name: All, services: [Old, New] }] }
checks:
  - name: Login
    checkType: BROWSER
    script: one()
    triggerIncident: { service: Old, severity: MAJOR, name: Down }
maintenanceWindows:
  - name: Disks
    startsAt: 2026-11-22T22:00:00.000Z
    endsAt: 2026-11-22T23:00:00.000Z
    statusPageVisibility: { enabled: true, services: [Old, New], statusPages: [shop] }
`;
    await well(seed, ['f'], { env: envOf(one), files: { f: file } });
    const services = await one.store.services.list(one.accountId, { limit: 9, offset: 0 });
    const old = services.find(({ body }) => body.name === 'Old');
    await send(one, `DELETE /v1/status-pages/services/${old?.id}`);
    const { stdout, stderr } = await well(exportCommand, [], { env: envOf(one) });
    const left = `  check Login: triggerIncident.serviceId (service ${old?.id})\n`;
    expect(stderr).toContain(`Left out, as what it names is gone:\n${left}`);
    expect(stderr).toContain(`maintenance window Disks: statusPageVisibility.serviceIds[`);
    await well(seed, ['-'], { env: envOf(two), input: stdout });
    expect((await well(exportCommand, [], { env: envOf(two) })).stdout).toBe(stdout);
    const again = await well(seed, ['-'], { env: envOf(one), input: stdout });
    expect(again.stderr).not.toContain('created');
  });

  it('keeps a private page private', async () => {
    const [one, two] = [await serviceOf(), await serviceOf()];
    const file =
      'statusPages:\n  - { name: Shop, url: shop, cards: [], isPrivate: true, whiteLabel: true }\n';
    const { stderr } = await well(seed, ['f'], { env: envOf(one), files: { f: file } });
    expect(stderr).toContain('status-pages access');
    const first = await well(exportCommand, [], { env: envOf(one) });
    expect(first.stdout).toContain('isPrivate: true');
    await well(seed, ['-'], { env: envOf(two), input: first.stdout });
    expect((await well(exportCommand, [], { env: envOf(two) })).stdout).toBe(first.stdout);
    const again = await well(seed, ['-'], { env: envOf(two), input: first.stdout });
    expect(again.stderr).toBe('The service is so already: 1 unchanged.\n');
    const opened = await well(seed, ['f'], {
      env: envOf(two),
      files: { f: file.replace('isPrivate: true', 'isPrivate: false') },
    });
    expect(opened.stderr).toContain('status page shop updated');
    const wrong = await runLine(seed, ['f'], {
      env: envOf(two),
      files: { f: file.replace('isPrivate: true', 'isPrivate: 1') },
    });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/f:2:\d+ .*isPrivate/)]);
  });
});
