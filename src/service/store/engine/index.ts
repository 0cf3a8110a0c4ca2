/** All that the engine reads and writes, on the store or within a transaction. */
import { checks } from '../checks.ts';
import type { StoreContext } from '../context.ts';
import { checkGroups } from '../groups.ts';
import { errorGroups, results } from './results.ts';
import { runs } from './runs.ts';
import { scheduleRows } from './schedule.ts';
import { sessions, testSessions } from './sessions.ts';

export type EngineData = ReturnType<typeof engineData>;

export function engineData(context: StoreContext) {
  return {
    checks: checks(context),
    checkGroups: checkGroups(context),
    sessions: sessions(context),
    testSessions: testSessions(context),
    runs: runs(context),
    results: results(context),
    errorGroups: errorGroups(context),
    schedule: scheduleRows(context),
  };
}

/** The engine's data, with transactions. */
export interface EngineStore extends EngineData {
  readonly dialect: StoreContext['dialect'];
  /** `work` may be run again: it must have no effect but its rows. */
  atomically<T>(work: (data: EngineData) => Promise<T>): Promise<T>;
}

export function engineStore(context: StoreContext): EngineStore {
  return {
    ...engineData(context),
    dialect: context.dialect,
    atomically: (work) => context.atomically((within) => work(engineData(within))),
  };
}
