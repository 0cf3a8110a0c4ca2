/** Starts the uploaded suite of a test session as a Playwright check that is not stored. */
import type { BodyOf, triggerTestSessions } from '../../../contract/index.ts';
import type { EngineData } from '../../store/engine/index.ts';
import type { RunSource } from './interface.ts';
import type { PlannedSession } from './plan-session.ts';
import type { Variable } from './settings.ts';
import { type PlanContext, startSessions } from './start-sessions.ts';

type SentSuite = NonNullable<BodyOf<typeof triggerTestSessions>['suite']>;

/** A suite to run in all its locations at once. */
export interface TestSuite {
  readonly accountId: string;
  readonly testSessionId: string;
  readonly runSource: RunSource;
  /** The name of the test session. */
  readonly name: string;
  readonly runLocation: string;
  readonly environmentVariables?: readonly Variable[] | null | undefined;
  readonly suite: SentSuite;
}

/**
 * Starts the suite. Returns undefined if its project folder no longer exists; otherwise extends the folder's
 * retention.
 */
export async function startSuite(
  data: EngineData,
  context: PlanContext,
  { accountId, testSessionId, runSource, name, runLocation, environmentVariables, suite }: TestSuite,
): Promise<PlannedSession[] | undefined> {
  const { furtherLocations = [], ...fields } = suite;
  if (!(await data.codeBundles.touch(accountId, suite.codeBundleId))) return undefined;
  const check = { type: 'PLAYWRIGHT', id: null, accountId, name, body: { ...fields, name } } as const;
  const settings = {
    activated: true,
    muted: true,
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
  return startSessions(data, context, [{ check, settings }], () => ({
    runSource,
    testSessionId,
  }));
}
