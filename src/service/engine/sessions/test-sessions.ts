/** Starts test sessions: several checks run once in one location, or an uploaded suite. They send no alerts. */
import type { Clock } from '../../../base/clock.ts';
import type { EngineData, EngineStore } from '../../store/engine/index.ts';
import type { Links } from '../links.ts';
import type { Changing } from './commands.ts';
import type { Engine, RunSource } from './interface.ts';
import type { PlannedSession } from './plan.ts';
import type { Reading } from './read.ts';
import { testSession } from './shapes.ts';
import { type Surroundings, startTests, testSubjects } from './start.ts';
import { startSuite } from './suites.ts';
import { awaitEnd, type Transitions } from './waiters.ts';

export interface TestingOptions {
  readonly store: EngineStore;
  readonly clock: Clock;
  readonly links: Links;
  readonly read: Reading;
  readonly ends: Transitions;
  readonly changes: Changing;
  readonly plan: <T extends { readonly planned: readonly PlannedSession[] }>(
    start: (data: EngineData, surroundings: Surroundings) => Promise<T>,
  ) => Promise<T>;
}

export function testing({
  store,
  clock,
  links,
  read,
  ends,
  changes,
  plan,
}: TestingOptions): Engine['testSessions'] {
  return {
    async start({ accountId, name, runLocation, metadata, suite, record = true, ...asked }) {
      const { row } = await plan(async (data, around) => {
        const runSource: RunSource = record ? 'TEST_RECORD' : 'TEST_NO_RECORD';
        const wanted = { ...asked, accountId, runLocation, runSource, testSessionId: around.uuid() };
        const subjects = suite === undefined ? await testSubjects(data, wanted) : [];
        if (suite === undefined && subjects.length === 0) return { planned: [], row: undefined };
        const made = {
          ...{ id: wanted.testSessionId, account_id: accountId, name, status: 'RUNNING' },
          ...{ started_at: around.now, stopped_at: null },
          is_recorded: Number(record),
          metadata: metadata === undefined ? null : JSON.stringify(metadata),
        };
        await data.testSessions.insert(made);
        const planned =
          suite === undefined
            ? await startTests(data, around, subjects, wanted)
            : await startSuite(data, around, { ...wanted, name, suite });
        return planned === undefined ? { planned: [], row: undefined } : { planned, row: made };
      });
      return row && testSession(row, [], clock.now(), links);
    },
    get: read.test,
    await: (accountId, id, maxWaitMs, signal) =>
      awaitEnd({
        ...{ id, transitions: ends, clock, maxWaitMs, signal, read: () => read.test(accountId, id) },
        hasEnded: ({ status }) => status !== 'RUNNING',
      }),
    list: read.listTests,
    async cancel(accountId, id) {
      if ((await store.testSessions.get(accountId, id)) === undefined) return false;
      await changes.cancel((await store.sessions.ofTest(id)).map((session) => session.id));
      return true;
    },
  };
}
