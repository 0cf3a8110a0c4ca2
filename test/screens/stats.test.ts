/** What the numbers of checks look like to a person: trends, failures, certificates, and checks without results. */
import { describe, test } from 'vitest';
import {
  getCheck,
  getCheckStatus,
  listCheckResults,
  listCheckRollUps,
  listChecks,
  summarizeChecks,
} from '../../src/contract/index.ts';
import { expectScreen } from '../support/screen/capture.ts';
import { serveStill, still } from '../support/screen/service.ts';

const CHECK = '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d';
const check = (id: string, name: string, checkType: 'URL' | 'DNS') => ({
  ...{ id, name, checkType, activated: true, frequency: 10, status: 'passing' as const },
  ...{ locations: ['eu-west-1' as const], tags: [], nextRunAt: '2026-11-21T12:04:00.000Z' },
  request: { url: 'https://shop.example.com/' },
  ...{ created_at: '2026-11-01T12:00:00.000Z', updated_at: null },
});
const shop = check(CHECK, 'Front page of the shop and its 検索', 'URL');
const idle = check('6b3f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d', 'Mail exchange', 'DNS');

/** The hours of a day: slower in the middle, with a failure, and nothing in the first three. */
const hours = Array.from({ length: 21 }, (_, index) => {
  const startsAt = Date.parse('2026-11-20T15:00:00Z') + index * 3_600_000;
  const ms = 100 + 80 * (10 - Math.abs(10 - index));
  return {
    ...{ period: 'HOUR' as const, location: 'eu-west-1' },
    ...{ startsAt: new Date(startsAt).toISOString(), endsAt: new Date(startsAt + 3_600_000).toISOString() },
    ...{ passed: 6, degraded: 0, failed: index === 15 ? 2 : 0, errors: 0, cancelled: 0 },
    responseTime: { count: 6, min: ms, avg: ms, max: ms, p50: ms, p95: ms },
  };
});
const status = {
  ...{ name: shop.name, checkId: CHECK, hasFailures: false, hasErrors: false, isDegraded: false },
  ...{ longestRun: 900, shortestRun: 100, lastRunLocation: 'eu-west-1', lastCheckRunId: '1' },
  ...{ created_at: shop.created_at, updated_at: '2026-11-21T11:57:00.000Z' },
};
const tls = {
  ...{ host: 'shop.example.com', subject: '*.example.com', issuer: 'R11', daysLeft: 61 },
  ...{ validTo: '2027-01-22T00:00:00.000Z', fingerprint: Array(32).fill('AB').join(':') },
};
const result = {
  ...{ id: 'a0000004-0000-4000-8000-000000000000', name: shop.name, checkId: CHECK },
  ...{ hasFailures: false, hasErrors: false, isDegraded: false, urlCheckResult: { tls } },
};

const serve = (sslDaysRemaining: number | null) =>
  serveStill(
    still(listChecks, [shop, idle]),
    still(getCheck, shop),
    still(summarizeChecks, [
      {
        ...{ checkId: CHECK, checkType: 'URL', availability: 98.4126 },
        ...{ responseTime_p50: 512.4, responseTime_p95: 1203.71 },
      },
    ]),
    still(getCheckStatus, { ...status, sslDaysRemaining }),
    still(listCheckRollUps, { entries: hours, nextId: null, length: hours.length }),
    still(listCheckResults, { entries: [result], nextId: null, length: 1 }),
  );

describe('the numbers of checks', () => {
  test('with certificates', async () => {
    await expectScreen('checks-stats', ['checks', 'stats'], { env: await serve(61) });
  });

  test('without certificates', async () => {
    await expectScreen('checks-stats-plain', ['checks', 'stats'], { env: await serve(null) });
  });
});

test('a check with a certificate', async () => {
  await expectScreen('checks-get-certificate', ['checks', 'get', CHECK], { env: await serve(61) });
});
