/** The session of a suite that was sent for a test session: as that of a Playwright check that is stored nowhere. */
import type { BodyOf, triggerTestSessions } from '../../../contract/index.ts';
import type { EngineData } from '../../store/engine/index.ts';
import type { RunSource } from './interface.ts';
import type { PlannedSession } from './plan.ts';
import type { Variable } from './settings.ts';
import { begin, type Surroundings } from './start.ts';

type SentSuite = NonNullable<BodyOf<typeof triggerTestSessions>['suite']>;

/** A suite as a test session runs it: in all its locations at once. */
export interface SuiteOfTest {
  readonly accountId: string;
  readonly testSessionId: string;
  readonly runSource: RunSource;
  /** What it is called: the test session's name. */
  readonly name: string;
  readonly runLocation: string;
  readonly environmentVariables?: readonly Variable[] | null | undefined;
  readonly suite: SentSuite;
}

/** Starts it. Undefined where its project folder has gone meanwhile; else that is kept for as long as the session needs it. */
export async function startSuite(
  data: EngineData,
  surroundings: Surroundings,
  { accountId, testSessionId, runSource, name, runLocation, environmentVariables, suite }: SuiteOfTest,
): Promise<PlannedSession[] | undefined> {
  const { furtherLocations = [], ...fields } = suite;
  if (!(await data.codeBundles.touch(accountId, suite.codeBundleId))) return undefined;
  const check = { type: 'PLAYWRIGHT', id: null, accountId, name, body: { ...fields, name } } as const;
  const settings = {
    ...{ activated: true, muted: true, tags: [] },
    ...{ locations: [...new Set([runLocation, ...furtherLocations])], runParallel: true },
    // Playwright tries again by itself.
    retry: null,
    environmentVariables: environmentVariables ?? [],
    ...{ runtimeId: suite.runtimeId ?? null, baseUrl: null, apiDefaults: undefined, setup: [], tearDown: [] },
  };
  return begin(data, surroundings, [{ check, settings }], () => ({
    runSource,
    testSessionId,
  }));
}
