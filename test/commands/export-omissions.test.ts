/** What `sonde export` leaves out: secrets, which `sonde apply --secrets` takes from a file, and references to nothing. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { command as apply } from '../../commands/apply.ts';
import { command as exportCommand } from '../../commands/export.ts';
import { envOf, well } from '../cli/resources/journey.ts';
import { runLine } from '../support/command.ts';
import { send } from '../support/send.ts';
import { startTestService, type TestService } from '../support/service.ts';

let one: TestService;
let two: TestService;
beforeEach(async () => {
  [one, two] = await Promise.all([startTestService(), startTestService()]);
});
afterEach(async () => {
  await Promise.all([one.close(), two.close()]);
});

describe('export', () => {
  it('leaves hidden values out, and apply takes them from a file of their own', async () => {
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
    await well(apply, ['f', '--yes'], { env: envOf(one), files: { f: file } });
    const { stdout, stderr } = await well(exportCommand, [], { env: envOf(one) });
    expect(stdout).not.toContain('hidden-');
    expect(stdout).not.toMatch(/value: ("|')("|')/);
    const names = [...stderr.matchAll(/^ {2}# (.+)\n {2}(\w+)=$/gm)].map(
      ([, label, name]) => `${name}: ${label}`,
    );
    expect(names).toEqual([
      'TOKEN: variable "TOKEN"',
      'ALERT_CHANNEL_DEPLOYS_HEADER_X_KEY: alert channel "Deploys": header X-Key',
      'ALERT_CHANNEL_DEPLOYS_WEBHOOK_SECRET: alert channel "Deploys": webhook secret, if it has one',
      'CHECK_GROUP_SHOP_VARIABLE_PASSWORD: check group "Shop": variable PASSWORD',
      'CHECK_GROUP_SHOP_PASSWORD: check group "Shop": password',
      'CHECK_LOGIN_VARIABLE_PIN: check "Login": variable PIN',
    ]);
    // What is there keeps what it has.
    const back = await well(apply, ['-', '--yes'], { env: envOf(one), input: stdout });
    expect(back.stderr).toContain('No changes. 4 resources are up to date.\n');

    const without = await well(apply, ['-', '--yes'], { env: envOf(two), input: stdout });
    expect(without.stderr).toContain(
      'Warning: alert channel "Deploys" has no ALERT_CHANNEL_DEPLOYS_HEADER_X_KEY',
    );
    expect(without.stderr).toContain('variable "TOKEN" is skipped');
    const thin = await well(exportCommand, [], { env: envOf(two) });
    expect(thin.stdout).not.toContain('PASSWORD');
    expect(thin.stdout).toContain('key: USER');
    expect(without.stderr).toContain(
      'Warning: check group "Shop" has no CHECK_GROUP_SHOP_VARIABLE_PASSWORD, CHECK_GROUP_SHOP_PASSWORD',
    );
    const values = [
      ...['TOKEN=hidden-1', 'X-Key=hidden-2', 'CHECK_LOGIN_VARIABLE_PIN=hidden-6', 'PIN=other'],
      'CHECK_GROUP_SHOP_VARIABLE_PASSWORD=hidden-4',
      ...['CHECK_GROUP_SHOP_PASSWORD=hidden-5', 'ALERT_CHANNEL_DEPLOYS_WEBHOOK_SECRET=hidden-3'],
    ].join('\n');
    const options = { env: envOf(two), files: { f: stdout, values } };
    const filled = await well(apply, ['f', '--yes', '--secrets', 'values'], options);
    expect(filled.stderr).toContain('1 created, 3 updated.');
    expect(filled.stderr + filled.stdout).not.toContain('hidden-');
    expect((await well(exportCommand, [], { env: envOf(two) })).stdout).toBe(stdout);
    const stored = await two.store.groups.list(two.accountId, { limit: 9, offset: 0 });
    expect(stored[0]?.body.environmentVariables?.[0]?.value).toBe('hidden-4');
    expect(stored[0]?.body.apiCheckDefaults?.basicAuth?.password).toBe('hidden-5');
    const [channel] = await two.store.alertChannels.list(two.accountId, { limit: 9, offset: 0 });
    expect(channel?.body.config).toMatchObject({ webhookSecret: 'hidden-3' });
  });

  it('leaves out what names something that is gone, and says so', async () => {
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
    await well(apply, ['f', '--yes'], { env: envOf(one), files: { f: file } });
    const services = await one.store.services.list(one.accountId, { limit: 9, offset: 0 });
    const old = services.find(({ body }) => body.name === 'Old');
    await send(one, `DELETE /v1/status-pages/services/${old?.id}?force=true`);
    const { stdout, stderr } = await well(exportCommand, [], { env: envOf(one) });
    expect(stderr).toContain(
      'Omitted because the referenced resource no longer exists:\n  maintenance window "Disks": statusPageVisibility.serviceIds[',
    );
    await well(apply, ['-', '--yes'], { env: envOf(two), input: stdout });
    expect((await well(exportCommand, [], { env: envOf(two) })).stdout).toBe(stdout);
    const again = await well(apply, ['-', '--yes'], { env: envOf(one), input: stdout });
    expect(again.stderr).not.toContain('created');
  });

  it('keeps a private page private', async () => {
    const file =
      'statusPages:\n  - { name: Shop, url: shop, cards: [], isPrivate: true, whiteLabel: true }\n';
    const { stderr } = await well(apply, ['f', '--yes'], { env: envOf(one), files: { f: file } });
    expect(stderr).toContain('status-pages access');
    const first = await well(exportCommand, [], { env: envOf(one) });
    expect(first.stdout).toContain('isPrivate: true');
    await well(apply, ['-', '--yes'], { env: envOf(two), input: first.stdout });
    expect((await well(exportCommand, [], { env: envOf(two) })).stdout).toBe(first.stdout);
    const again = await well(apply, ['-', '--yes'], { env: envOf(two), input: first.stdout });
    expect(again.stderr).toContain('No changes. 1 resource is up to date.\n');
    const opened = await well(apply, ['f', '--yes'], {
      env: envOf(two),
      files: { f: file.replace('isPrivate: true', 'isPrivate: false') },
    });
    expect(opened.stderr).toContain('~ update status page "shop"');
    const wrong = await runLine(apply, ['f', '--yes'], {
      env: envOf(two),
      files: { f: file.replace('isPrivate: true', 'isPrivate: 1') },
    });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/f:2:\d+: isPrivate/)]);
  });
});
