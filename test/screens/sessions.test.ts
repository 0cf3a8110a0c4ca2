/** What check sessions look like to a person. */
import { describe, test } from 'vitest';
import { getCheckResult, getCheckSession, listCheckSessions } from '../../src/contract/index.ts';
import { expectScreen } from '../support/screen/capture.ts';
import { serveStill, still } from '../support/screen/service.ts';
import { failedSession, passedSession, runningSession } from './sessions.ts';

describe('check sessions', () => {
  test('a list of them', async () => {
    const env = await serveStill(
      still(listCheckSessions, {
        entries: [runningSession, failedSession, passedSession],
        nextId: null,
        length: 3,
      }),
    );
    await expectScreen('sessions-list', ['sessions', 'list'], { env });
  });

  test.each([
    ['passed', passedSession],
    ['failed', failedSession],
    ['running', runningSession],
  ] as const)('one that %s', async (name, session) => {
    const env = await serveStill(still(getCheckSession, session));
    await expectScreen(`sessions-get-${name}`, ['sessions', 'get', session.checkSessionId], { env });
  });

  test('the logs of one', async () => {
    const result = {
      ...{
        id: 'a0000003-0000-4000-8000-000000000000',
        name: 'Checkout of the shop',
        checkId: runningSession.checkId,
      },
      ...{ hasFailures: true, hasErrors: false, isDegraded: false, runLocation: 'ap-northeast-1' },
      ...{
        responseTime: 61_200,
        errors: ['page.click: Timeout 30000ms exceeded.\nCall log:\n  - waiting for #pay'],
      },
      browserCheckResult: {
        console: [
          { from: 'script', level: 'stdout', text: 'open the shop', atMs: 180 },
          { from: 'page', level: 'warning', text: '検索 is slow: \u001b[2J\u202e3 s', atMs: 2360 },
          { from: 'page-error', level: 'error', text: 'Error: no price\n    at cart.js:1', atMs: 12_340 },
        ],
        dropped: { lines: 2 },
      },
    };
    const env = await serveStill(still(getCheckSession, runningSession), still(getCheckResult, result));
    await expectScreen('sessions-logs', ['sessions', 'logs', runningSession.checkSessionId], { env });
  });
});
