/** What maintenance windows look like to a person, and what is said of a jq expression that does not fit. */
import { test } from 'vitest';
import { getMaintenanceWindow, listMaintenanceWindows, type ResponseOf } from '../../src/contract/index.ts';
import { expectScreen } from '../support/screen/capture.ts';
import { serveStill, still } from '../support/screen/service.ts';

type Window = ResponseOf<typeof getMaintenanceWindow>;

const once = { created_at: '2026-09-01T08:00:00.000Z', updated_at: null, repeatUnit: null };
const nightly: Window = {
  ...once,
  id: 12,
  name: 'Nightly copy of the warehouse',
  description: 'The warehouse is copied to cold storage. Reports are late until it is done.',
  startsAt: '2026-09-01T21:00:00.000Z',
  endsAt: '2026-09-02T00:30:00.000Z',
  repeatUnit: 'DAY',
  repeatInterval: 1,
  timezone: 'Europe/Berlin',
  pauseAllChecks: true,
  silenceAllAlerts: true,
  statusPageVisibility: {
    enabled: true,
    affectAllServices: true,
    notifyOnStart: true,
    reminderMinutesBefore: [60, 1440],
    statusPageIds: ['7c0f1d2e'],
  },
};
const windows: readonly Window[] = [
  {
    ...once,
    id: 11,
    name: 'Old migration',
    startsAt: '2026-10-12T20:00:00Z',
    endsAt: '2026-10-12T21:00:00Z',
  },
  nightly,
  {
    ...once,
    id: 13,
    name: 'Certificates',
    startsAt: '2027-01-31T03:00:00Z',
    endsAt: '2027-01-31T04:00:00Z',
    tags: ['shop', 'api'],
  },
  {
    ...once,
    id: 14,
    name: 'Database upgrade',
    startsAt: '2026-01-01T00:00:00Z',
    endsAt: '2028-01-01T00:00:00Z',
    tags: ['shop'],
  },
];

const line = (...words: readonly string[]) => ['maintenance', ...words];

test('maintenance list', async () => {
  const env = await serveStill(still(listMaintenanceWindows, [...windows]));
  await expectScreen('maintenance-list', line('list'), { env });
});

test('maintenance get', async () => {
  const env = { ...(await serveStill(still(getMaintenanceWindow, nightly))), TZ: 'America/New_York' };
  await expectScreen('maintenance-get', line('get', '12'), { env });
});

test('a jq expression that cannot be read, and one that does not fit', async () => {
  const env = await serveStill(still(listMaintenanceWindows, [...windows]));
  await expectScreen('error-jq-unreadable', line('list', '--jq', '.[]\n  | .name\n  | tset("x")'), { env });
  await expectScreen('error-jq-misfit', line('list', '--jq', '.[] | .name.first'), { env });
});
