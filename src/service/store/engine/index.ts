/** Combines the repositories of the engine, on the store or within a transaction. */
import { accounts } from '../accounts.ts';
import { checkGroups } from '../check-groups.ts';
import { checks } from '../checks.ts';
import { codeBundles } from '../code-bundles.ts';
import type { StoreContext } from '../context.ts';
import { documents } from '../documents.ts';
import { heartbeats } from '../heartbeats.ts';
import { lazyProperties } from '../lazy-properties.ts';
import { maintenanceWindows } from '../maintenance-windows.ts';
import { privateLocations } from '../private-locations.ts';
import type { Store, StoreTransaction } from '../store.ts';
import { subscribers } from '../subscribers.ts';
import { artifacts } from './artifacts.ts';
import { errorGroups } from './error-groups.ts';
import { results } from './results.ts';
import { retention } from './retention.ts';
import { rollUps } from './rollups.ts';
import { runs } from './runs.ts';
import { schedule } from './schedule.ts';
import { sessions, testSessions } from './sessions.ts';

const engineData = lazyProperties({
  accounts,
  checks,
  checkGroups,
  sessions,
  testSessions,
  runs,
  results,
  errorGroups,
  rollUps,
  retention,
  schedule: schedule,
  maintenanceWindows,
  heartbeats,
  codeBundles,
  subscribers,
  privateLocations,
  variables: (context) => documents(context).variables,
  snippets: (context) => documents(context).snippets,
  artifacts,
});

export type EngineData = ReturnType<typeof engineData>;

/** The repositories of the engine, with transactions. */
export interface EngineStore extends EngineData {
  readonly dialect: StoreContext['dialect'];
  /** Runs `work` in a transaction. `work` may run several times, so it must have no other side effects. */
  atomically<T>(work: (data: EngineData, tx: StoreTransaction) => Promise<T>): Promise<T>;
  /** Runs all reads in one consistent snapshot. */
  snapshot<T>(read: (data: EngineData) => Promise<T>): Promise<T>;
}

export function engineStore(store: Store): EngineStore {
  return Object.assign(engineData(store), {
    dialect: store.dialect,
    // Row locks on sessions, and compare-and-set on ticks and attempts, need no higher isolation.
    atomically: <T>(work: (data: EngineData, tx: StoreTransaction) => Promise<T>) =>
      store.transaction((tx) => work(engineData(tx), tx), { isolation: 'read committed' }),
    snapshot: <T>(read: (data: EngineData) => Promise<T>) => store.transaction((tx) => read(engineData(tx))),
  });
}
