/** What checks, incidents and alert channels look like to a person. */
import { test } from 'vitest';
import {
  getCheck,
  getIncident,
  listAlertChannels,
  listCheckGroups,
  listChecks,
} from '../../src/contract/index.ts';
import { expectScreen } from '../support/screen/capture.ts';
import { serveStill, still } from '../support/screen/service.ts';

const MADE = { created_at: '2026-11-01T12:00:00.000Z', updated_at: null };
const check = (number: number, name: string, more: object = {}) => ({
  id: `${number}a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d`,
  name,
  checkType: 'DNS' as const,
  activated: true,
  frequency: 10,
  status: 'passing' as const,
  nextRunAt: '2026-11-21T12:04:00.000Z',
  locations: ['eu-west-1' as const, 'us-east-1' as const],
  tags: ['shop'],
  request: {
    query: 'example.com',
    recordType: 'A' as const,
    assertions: [{ source: 'RESPONSE_CODE', comparison: 'EQUALS' as const, target: 'NOERROR' }],
  },
  ...MADE,
  ...more,
});

const shopFront = { id: 3, name: 'Shop front', activated: true, concurrency: 3, apiCheckDefaults: {} };

test('checks, how each stands', async () => {
  const env = await serveStill(
    still(listChecks, [
      check(1, 'Apex record', { status: 'failing' }),
      check(2, 'Mail exchange of the shop and of all its branches', { status: 'degraded', frequency: 60 }),
      check(3, 'Sign in', { checkType: 'BROWSER', request: undefined, groupId: 3 }),
      check(4, 'Old name', { activated: false, nextRunAt: null }),
    ]),
    still(listCheckGroups, [shopFront]),
  );
  await expectScreen('checks-list', ['checks', 'list'], { env });
});

test('a check, what it does and when', async () => {
  const alerts = { alertChannelSubscriptions: [{ alertChannelId: 1, activated: true }], groupId: 3 };
  const channel = {
    id: 1,
    type: 'EMAIL' as const,
    config: { address: 'ops@example.com' },
    subscriptions: [],
  };
  const env = await serveStill(
    still(getCheck, check(1, 'Apex record', { status: 'failing', ...alerts })),
    still(listAlertChannels, [{ ...channel, ...MADE }]),
    still(listCheckGroups, [shopFront]),
  );
  await expectScreen('checks-get', ['checks', 'get', check(1, '').id], { env });
});

test('an incident, what was said of it', async () => {
  const id = '8b1d4f60-2c3e-4a5b-8d7f-9e0a1b2c3d4e';
  const said = (number: number, status: string, description: string) => ({
    id: `9b1d4f60-2c3e-4a5b-8d7f-9e0a1b2c3d4${number}`,
    ...{ status, description, notifySubscribers: number === 1, created_at: '2026-11-21T11:50:00.000Z' },
  });
  const env = await serveStill(
    still(getIncident, {
      ...{ id, name: 'Payments fail', severity: 'MAJOR', lastUpdateStatus: 'IDENTIFIED', ...MADE },
      services: [{ id: '4d6e8f0a-1b2c-4d3e-8f5a-6b7c8d9e0f1a', name: 'Checkout' }],
      incidentUpdates: [
        said(
          1,
          'IDENTIFIED',
          'A release of this morning refuses cards of two banks; it is being taken back.',
        ),
        said(2, 'INVESTIGATING', 'We are looking into it.'),
      ],
    }),
  );
  await expectScreen('incidents-get', ['incidents', 'get', id], { env });
});

test('alert channels, where they lead', async () => {
  const sends = { sendFailure: true, sendRecovery: true, sendDegraded: false, sslExpiry: false, ...MADE };
  const env = await serveStill(
    still(listAlertChannels, [
      {
        id: 1,
        type: 'EMAIL',
        config: { address: 'ops@example.com' },
        subscriptions: [{ checkId: 'a', activated: true }],
        ...sends,
      },
      {
        id: 2,
        type: 'WEBHOOK',
        config: { name: 'Deploys', url: 'https://hooks.example.com/sonde/of/a/long/path' },
        subscriptions: [],
        ...sends,
      },
    ]),
  );
  await expectScreen('alert-channels-list', ['alert-channels', 'list'], { env });
});
