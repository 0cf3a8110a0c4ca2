/** Starts test sessions, which run several checks once in one location, or an uploaded suite. They send no alerts. */
import type { SessionsOptions } from './check-sessions.ts';
import { waitForEnd } from './end-notifier.ts';
import type { Engine, RunSource } from './interface.ts';
import { toTestSession } from './responses.ts';
import { startTests } from './start-sessions.ts';
import { startSuite } from './start-suite.ts';
import { selectSubjects } from './subjects.ts';

export function createTestSessions({
  store,
  clock,
  links,
  reader,
  endNotifier,
  commands,
  plan,
}: SessionsOptions): Engine['testSessions'] {
  return {
    async start({ accountId, name, runLocation, metadata, suite, record = true, ...fields }) {
      const { row } = await plan(async (data, context) => {
        const runSource: RunSource = record ? 'TEST_RECORD' : 'TEST_NO_RECORD';
        const request = { ...fields, accountId, runLocation, runSource, testSessionId: context.uuid() };
        const subjects = suite === undefined ? await selectSubjects(data, accountId, fields.target) : [];
        if (suite === undefined && subjects.length === 0) return { planned: [], row: undefined };
        const created = {
          id: request.testSessionId,
          account_id: accountId,
          name,
          status: 'RUNNING',
          started_at: context.now,
          stopped_at: null,
          is_recorded: Number(record),
          metadata: metadata === undefined ? null : JSON.stringify(metadata),
        };
        await data.testSessions.insert(created);
        const planned =
          suite === undefined
            ? await startTests(data, context, subjects, request)
            : await startSuite(data, context, { ...request, name, suite });
        return planned === undefined ? { planned: [], row: undefined } : { planned, row: created };
      });
      return row && toTestSession(row, [], clock.now(), links);
    },
    get: reader.test,
    await: (accountId, id, maxWaitMs, signal) =>
      waitForEnd({
        id,
        endNotifier,
        clock,
        maxWaitMs,
        signal,
        read: () => reader.test(accountId, id),
        hasEnded: ({ status }) => status !== 'RUNNING',
      }),
    list: reader.listTests,
    async cancel(accountId, id) {
      if ((await store.testSessions.get(accountId, id)) === undefined) return false;
      await commands.cancel((await store.sessions.ofTest(id)).map((session) => session.id));
      return true;
    },
  };
}
