/** Starts, awaits and cancels check sessions and test sessions for the API. */
import type { Clock } from '../../../base/clock.ts';
import type { EngineData, EngineStore } from '../../store/engine/index.ts';
import type { Links } from './capability.ts';
import type { PlannedSession } from './plan-session.ts';
import { toStartedSession, toTestSession } from './responses.ts';
import type { SessionCommands } from './session-commands.ts';
import type { SessionReader } from './session-reader.ts';
import { selectSubjects } from './settings.ts';
import {
  type PlanContext,
  startGroup,
  startSessions,
  startTargeted,
  startTests,
  type TestRequest,
  type TestSubject,
} from './start-sessions.ts';
import { isTerminal, type SessionStatus } from './states.ts';
import type {
  CheckSession,
  RunSource,
  StartedCheckSession,
  StartSessions,
  TestBody,
  TestSession,
} from './types.ts';
import { toTestSubject, type UnstoredCheck } from './unstored-checks.ts';
import { type AwaitedSession, type EndNotifier, waitForEnd } from './wake-signals.ts';

interface SessionApiOptions {
  readonly store: EngineStore;
  readonly clock: Clock;
  readonly links: Links;
  readonly reader: SessionReader;
  readonly endNotifier: EndNotifier;
  readonly commands: SessionCommands;
  /** Starts sessions in one transaction, and wakes the workers. */
  readonly plan: <T extends { readonly planned: readonly PlannedSession[] }>(
    start: (data: EngineData, context: PlanContext) => Promise<T>,
  ) => Promise<T>;
}

type TestRequestOfAccount = TestBody & { readonly accountId: string };

interface StartedTest {
  readonly session: TestSession;
  readonly sequenceIds: Readonly<Record<string, string>>;
}

const NOTHING_STARTED = { planned: [], row: undefined, tests: [] };

async function selectTests(
  data: EngineData,
  { accountId, target }: Pick<TestRequestOfAccount, 'accountId' | 'target'>,
): Promise<readonly TestSubject[]> {
  const subjects = await selectSubjects(data, accountId, target);
  return subjects.map((subject) => ({ ...subject, key: subject.check.id }));
}

export function createSessionApi(options: SessionApiOptions) {
  const { store, clock, links, reader, endNotifier, commands, plan } = options;

  async function startChecks(
    start: (data: EngineData, context: PlanContext) => Promise<PlannedSession<string>[]>,
  ): Promise<StartedCheckSession[]> {
    const { planned } = await plan(async (data, context) => ({ planned: await start(data, context) }));
    return planned.map(({ session }) => toStartedSession(session, clock.now(), links));
  }

  /**
   * Starts a test session of `checks`, or of its suite or target. Returns undefined if no check matches. The sequence IDs
   * are those of the first attempts, by the key of the check.
   */
  async function startTest(
    { accountId, name, runLocation, metadata, suite, record = true, ...fields }: TestRequestOfAccount,
    checks?: readonly UnstoredCheck[],
  ): Promise<StartedTest | undefined> {
    const { row, tests } = await plan(async (data, context) => {
      const runSource: RunSource = record ? 'TEST_RECORD' : 'TEST_NO_RECORD';
      const request = { ...fields, accountId, runLocation, runSource, testSessionId: context.uuid() };
      const subjects =
        suite === undefined
          ? (checks?.map((check) => toTestSubject(accountId, check)) ?? (await selectTests(data, request)))
          : [];
      if (suite === undefined && subjects.length === 0) return NOTHING_STARTED;
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
      const started =
        suite === undefined
          ? await startTests(data, context, subjects, request)
          : await startSuite(data, context, request, name, suite);
      if (started === undefined) return NOTHING_STARTED;
      return { planned: started.map(([, session]) => session), row: created, tests: started };
    });
    if (row === undefined) return undefined;
    return {
      session: toTestSession(row, [], clock.now(), links),
      sequenceIds: Object.fromEntries(
        tests.map(([key, { runs }]) => [key, runs.map(({ sequence_id: id }) => id)[0] ?? '']),
      ),
    };
  }

  return {
    /**
     * Starts a session of each activated check that matches, with group concurrency as in `startGroup`. Returns [] if
     * none matches (the API answers 404).
     */
    startSessions: (request: StartSessions) =>
      startChecks((data, context) => startTargeted(data, context, request)),
    /**
     * Starts the activated checks of a group by groupOrder, at most `concurrency` at once. Returns [] if it has none
     * (the API answers 404).
     */
    startGroup: (request: Parameters<typeof startGroup>[2]) =>
      startChecks((data, context) => startGroup(data, context, request)),
    /** Endpoint 8. Returns undefined if the account has no such session. */
    getSession: reader.session,
    /** Endpoint 9. Waits at most `maxWaitMs`, or until `signal` aborts because the caller has gone away. */
    awaitSession: (
      accountId: string,
      id: string,
      maxWaitMs: number,
      signal?: AbortSignal,
    ): Promise<AwaitedSession<CheckSession> | undefined> =>
      waitForEnd({
        id,
        endNotifier,
        clock,
        maxWaitMs,
        signal,
        read: () => reader.session(accountId, id),
        hasEnded: ({ status }) => isTerminal(status as SessionStatus),
      }),
    /** Returns false if the account has no such session. Cancelling an ended session changes nothing and returns true. */
    async cancelSession(accountId: string, id: string): Promise<boolean> {
      if ((await store.sessions.get(accountId, id)) === undefined) return false;
      await commands.cancel([id]);
      return true;
    },
    testSessions: {
      /** Returns undefined if no check matches (the API answers 404). */
      start: async (request: TestBody & { readonly accountId: string }): Promise<TestSession | undefined> =>
        (await startTest(request))?.session,
      startWithKeys: startTest,
      /** Endpoint 10. */
      get: reader.test,
      await: (
        accountId: string,
        id: string,
        maxWaitMs: number,
        signal?: AbortSignal,
      ): Promise<AwaitedSession<TestSession> | undefined> =>
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
      result: reader.testResult,
      assets: reader.testAssets,
      async cancel(accountId: string, id: string): Promise<boolean> {
        if ((await store.testSessions.get(accountId, id)) === undefined) return false;
        await commands.cancel((await store.sessions.ofTest(id)).map((session) => session.id));
        return true;
      },
    },
  };
}

/**
 * Starts an uploaded suite in all its locations, as a Playwright check that is not stored. Returns undefined if its
 * project folder no longer exists; otherwise extends the folder's retention.
 */
async function startSuite(
  data: EngineData,
  context: PlanContext,
  {
    accountId,
    testSessionId,
    runSource,
    runLocation,
    environmentVariables,
  }: TestRequest & { readonly accountId: string },
  name: string,
  suite: NonNullable<TestBody['suite']>,
): Promise<Awaited<ReturnType<typeof startTests>> | undefined> {
  const { furtherLocations = [], ...fields } = suite;
  if (!(await data.codeBundles.touch(accountId, suite.codeBundleId))) return undefined;
  const check = { type: 'PLAYWRIGHT', id: null, accountId, name, body: { ...fields, name } } as const;
  const settings = {
    activated: true,
    tags: [],
    locations: [...new Set([runLocation, ...furtherLocations])],
    runParallel: true,
    // Playwright itself retries tests.
    retry: null,
    environmentVariables: environmentVariables ?? [],
    runtimeId: suite.runtimeId ?? null,
    baseUrl: null,
    apiDefaults: undefined,
    setup: [],
    tearDown: [],
  };
  const planned = await startSessions(data, context, [{ check, settings }], () => ({
    runSource,
    testSessionId,
  }));
  return planned.map((session) => [name, session] as const);
}
