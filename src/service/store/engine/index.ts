/** Opens the transactions of the engine. */
import type { StoreContext } from '../context.ts';
import { createRepositories, type Repositories } from '../repositories.ts';
import type { Store, StoreTransaction } from '../store.ts';

export type EngineData = Repositories;

/** The repositories of the engine, with transactions. */
export interface EngineStore extends EngineData {
  readonly dialect: StoreContext['dialect'];
  /** Runs `work` in a transaction. `work` may run several times, so it must have no other side effects. */
  atomically<T>(work: (data: EngineData, tx: StoreTransaction) => Promise<T>): Promise<T>;
  /** Runs all reads in one consistent snapshot. */
  snapshot<T>(read: (data: EngineData) => Promise<T>): Promise<T>;
}

export function engineStore(store: Store): EngineStore {
  return Object.assign(createRepositories(store), {
    dialect: store.dialect,
    // Row locks on sessions, and compare-and-set on ticks and attempts, need no higher isolation.
    atomically: <T>(work: (data: EngineData, tx: StoreTransaction) => Promise<T>) =>
      store.transaction((tx) => work(tx, tx), { isolation: 'read committed' }),
    snapshot: <T>(read: (data: EngineData) => Promise<T>) => store.transaction(read),
  });
}
