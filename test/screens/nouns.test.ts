/** What the commands for groups, channels, places and variables look like to a person, and what a seed tells. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';
import * as contract from '../../src/contract/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { expectScreen } from '../support/screen/capture.ts';
import { serveStill, still } from '../support/screen/service.ts';

const MADE = { created_at: '2026-11-01T12:00:00.000Z', updated_at: '2026-11-21T11:50:00.000Z' };
const group = {
  ...{ id: 12, name: 'Shop front', activated: true, muted: false, concurrency: 3, runParallel: false },
  locations: ['eu-west-1' as const, 'ap-southeast-2' as const],
  tags: ['shop', '検索'],
  apiCheckDefaults: {},
  environmentVariables: [
    { key: 'SHOP_URL', value: 'https://shop.example' },
    { key: 'TOKEN', value: '', secret: true },
  ],
  alertChannelSubscriptions: [1, 2, 7].map((alertChannelId) => ({ alertChannelId, activated: true })),
  ...MADE,
};
const LOCATION = '2f4e6d8c-0a1b-4c3d-9e5f-7a6b8c9d0e1f';
const location = {
  ...{
    id: LOCATION,
    name: 'Cellar of the branch in Hamburg',
    slugName: 'cellar',
    icon: 'home',
    proxyUrl: null,
  },
  keys: [{ id: '6a8b0c2d-3e4f-4a5b-8c7d-9e0f1a2b3c4d', maskedKey: 'pl_NWA7…', created_at: MADE.created_at }],
  ...{ lastSeen: '2026-11-21T11:59:30.000Z', agentCount: 2 },
  ...MADE,
};
const channel = (id: number, type: 'EMAIL' | 'WEBHOOK', config: object) => ({
  ...{ id, type, config: config as Record<string, unknown>, subscriptions: [] },
  ...{ sendFailure: true, sendRecovery: true, sendDegraded: false, sslExpiry: false },
  ...MADE,
});

test('a group', async () => {
  const channels = [
    channel(1, 'EMAIL', { address: 'ops@example.com' }),
    channel(2, 'WEBHOOK', { name: 'Deploys', url: 'https://hooks.example.com/sonde' }),
  ];
  const env = await serveStill(
    still(contract.getCheckGroup, group),
    still(contract.listAlertChannels, channels),
  );
  await expectScreen('groups-get', ['groups', 'get', '12'], { env });
});

test('a change of a group, before it is made', async () => {
  const env = await serveStill(still(contract.getCheckGroup, group));
  const line = ['groups', 'update', '12', '--locations', 'eu-west-1,us-east-1'];
  await expectScreen('groups-update', line, { env, until: '(y/N)' });
});

test('the trigger of a group', async () => {
  const trigger = { id: 3, groupId: 12, token: 'NhwVcR1tBVefeifJt45BEA', called_at: null, ...MADE };
  const env = await serveStill(still(contract.createGroupTrigger, trigger));
  await expectScreen('triggers-create', ['triggers', 'create', '12'], { env });
});

test('a private location and its keys', async () => {
  const env = await serveStill(still(contract.getPrivateLocation, location));
  await expectScreen('private-locations-get', ['private-locations', 'get', LOCATION], { env });
});

test('variables, which of them are hidden', async () => {
  const variable = (key: string, value: string | undefined, secret: boolean, locked: boolean) => ({
    ...{ key, secret, locked, ...MADE },
    ...(value === undefined ? {} : { value }),
  });
  const env = await serveStill(
    still(contract.listVariables, [
      variable(
        'SHOP_URL',
        'https://shop.example.com/a/rather/long/address/of/the/shop/that/finds/no/room',
        false,
        false,
      ),
      variable('TOKEN', undefined, true, false),
      variable('REGION', undefined, false, true),
    ]),
  );
  await expectScreen('variables-list', ['variables', 'list'], { env });
});

test('a dashboard', async () => {
  const dashboard = {
    ...{
      dashboardId: '3c5d7e9f-1a2b-4c3d-8e4f-5a6b7c8d9e0f',
      header: 'Shop',
      customUrl: 'shop',
      tags: ['shop'],
      hideTags: false,
    },
    ...{ useTagsAndOperator: true, width: '960PX' as const, refreshRate: 60 as const },
    ...{ paginate: true, paginationRate: 30 as const, checksPerPage: 15 },
    ...MADE,
  };
  const env = await serveStill(still(contract.getDashboard, dashboard));
  await expectScreen('dashboards-get', ['dashboards', 'get', '3c5d7e9f-1a2b-4c3d-8e4f-5a6b7c8d9e0f'], {
    env,
  });
});

test('alerts, to whom they were sent and what waits', async () => {
  const told = (id: number, more: object) => ({
    ...{
      id: String(id),
      alertType: 'ALERT_FAILURE' as const,
      channelType: 'EMAIL' as const,
      alertChannelId: 1,
    },
    ...{ checkId: '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c61', recipient: 'ops@example.com' },
    ...{ state: 'SENT' as const, attempts: 1, lastError: null, nextAttemptAt: null },
    ...{ idempotencyKey: `alert-${id}`, created_at: '2026-11-21T11:50:00.000Z' },
    endedAt: '2026-11-21T11:50:01.000Z',
    ...more,
  });
  const waits = {
    ...{
      channelType: 'WEBHOOK',
      recipient: 'hooks.example.com',
      state: 'QUEUED',
      attempts: 3,
      endedAt: null,
    },
    ...{
      lastError: 'the receiver answered 503 Service Unavailable',
      nextAttemptAt: '2026-11-21T12:02:00.000Z',
    },
  };
  const entries = [
    told(3, { alertType: 'ALERT_RECOVERY' }),
    told(2, waits),
    told(1, { state: 'FAILED', lastError: 'no SMTP server is configured' }),
  ];
  const env = await serveStill(still(contract.listAlertNotifications, entries));
  await expectScreen('alert-notifications-list', ['alert-notifications', 'list'], { env });
});

test('a test of an alert channel that nobody took', async () => {
  const env = await serveStill(
    still(contract.testAlertChannel, {
      ...{ delivered: false, recipient: 'hooks.example.com' },
      error: 'the receiver answered 403 Forbidden',
    }),
  );
  await expectScreen('alert-channels-test', ['alert-channels', 'test', '2'], { env });
});

test('what a seed would do', async () => {
  const file = join(await temporaryFolder(), 'shop.yaml');
  await writeFile(
    file,
    [
      'alertChannels:',
      '  - { type: EMAIL, config: { address: ops@example.com } }',
      '  - type: WEBHOOK',
      '    config: { name: Deploys, url: https://hooks.example.com/, headers: [{ key: X-Key, locked: true }] }',
      'variables:',
      '  - { key: TOKEN, secret: true }',
      'groups:',
      '  - { name: Shop front, locations: [eu-west-1] }',
      '',
    ].join('\n'),
  );
  const env = await serveStill(
    still(contract.listAlertChannels, [channel(1, 'EMAIL', { address: 'ops@example.com' })]),
    still(contract.listCheckGroups, [group]),
    ...[
      contract.listChecks,
      contract.listSnippets,
      contract.listVariables,
      contract.listPrivateLocations,
      contract.listDashboards,
    ].map((endpoint) => still(endpoint, [] as never)),
    ...[contract.listServices, contract.listStatusPages].map((endpoint) =>
      still(endpoint, { entries: [], nextId: null, length: 0 }),
    ),
    still(contract.listMaintenanceWindows, []),
  );
  const tidy = (text: string) => text.replaceAll(file, 'shop.yaml');
  await expectScreen('service-seed', ['service', 'seed', file, '--dry-run'], { env, tidy });
});
