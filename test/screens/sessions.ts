/** Check sessions that screens are taken of. */
import type { CheckSession, CheckSessionResult } from '../../src/contract/resources/session.ts';

const CHECK = '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d';
const LINK = 'https://app.example.com/check-sessions';

const result = (
  number: number,
  runLocation: string,
  more: Partial<CheckSessionResult> = {},
): CheckSessionResult => ({
  checkResultId: `a000000${number}-0000-4000-8000-000000000000`,
  checkResultLink: `https://app.example.com/check-results/a000000${number}`,
  checkId: CHECK,
  name: 'Checkout of the shop',
  runLocation,
  hasErrors: false,
  hasFailures: false,
  isDegraded: false,
  aborted: false,
  isCancelled: false,
  checkType: 'DNS',
  resultType: 'FINAL',
  ...more,
});

/** Two locations, all well, an hour and a half ago. */
export const passedSession: CheckSession = {
  checkSessionId: '0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10',
  checkSessionLink: `${LINK}/0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10`,
  checkId: CHECK,
  checkType: 'DNS',
  status: 'PASSED',
  name: 'Checkout of the shop',
  startedAt: '2026-11-21T10:30:00.000Z',
  stoppedAt: '2026-11-21T10:30:01.284Z',
  timeElapsed: 1284,
  runLocations: ['eu-central-1', 'us-east-1'],
  runSource: 'TRIGGER_API',
  results: [result(1, 'eu-central-1'), result(2, 'us-east-1')],
};

/** One location failed twice, one passed, one was slow. */
export const failedSession: CheckSession = {
  ...passedSession,
  checkSessionId: '7d0c9f34-51b8-4c1d-8a6b-90d3f5e2a711',
  checkSessionLink: `${LINK}/7d0c9f34-51b8-4c1d-8a6b-90d3f5e2a711`,
  status: 'FAILED',
  name: '東京の決済 🛒 (checkout)',
  startedAt: '2026-11-21T11:57:00.000Z',
  stoppedAt: '2026-11-21T11:58:02.510Z',
  timeElapsed: 62_510,
  runLocations: ['ap-northeast-1', 'eu-central-1', 'us-east-1'],
  runSource: 'SCHEDULER',
  results: [
    result(3, 'ap-northeast-1', { hasFailures: true, resultType: 'ATTEMPT' }),
    result(4, 'ap-northeast-1', { hasFailures: true }),
    result(5, 'eu-central-1'),
    result(6, 'us-east-1', { isDegraded: true }),
  ],
};

/** Started 12 seconds ago; one location is done. */
export const runningSession: CheckSession = {
  ...passedSession,
  checkSessionId: 'c4e1b7a0-2d5f-4b9e-b1c8-6f7a8d9e0b12',
  checkSessionLink: `${LINK}/c4e1b7a0-2d5f-4b9e-b1c8-6f7a8d9e0b12`,
  status: 'PROGRESS',
  startedAt: '2026-11-21T11:59:48.000Z',
  stoppedAt: null,
  timeElapsed: 12_000,
  results: [result(7, 'eu-central-1')],
};
