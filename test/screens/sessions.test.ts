/** What check sessions look like to a person. */
import { describe, test } from 'vitest';
import { getCheckSession, listCheckSessions } from '../../src/contract/index.ts';
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
});
