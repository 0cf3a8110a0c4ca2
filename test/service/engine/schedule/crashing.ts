/** A store that goes away before the nth statement, as kill -9 takes a process away from its store at any point. */
import type { KyselyPlugin } from 'kysely';
import type { Store, StoreTransaction } from '../../../../src/service/store/index.ts';

export interface CrashingStore {
  readonly store: Store;
  /** How many statements were asked for, the refused ones not counted. */
  readonly statements: () => number;
  readonly isGone: () => boolean;
}

/**
 * The store as a process sees it that dies before its statement number `dies` (from 0). What was not committed then is
 * rolled back. Dying after a commit is dying before the statement that follows: nothing else outlives a process.
 */
export function crashingStore(store: Store, dies: number): CrashingStore {
  let statements = 0;
  let isGone = false;
  function one(): void {
    if (isGone || statements >= dies) {
      isGone = true;
      throw new Error('the process is gone');
    }
    statements += 1;
  }
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      one();
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  /** What is composed goes through the plugin; what is kept, composed beforehand, does not. */
  function mortalDb<Db extends Store['db'] | StoreTransaction['db']>(db: Db): Db {
    const mortal = db.withPlugin(plugin) as Db;
    return new Proxy(mortal, {
      get(whole, name) {
        if (name === 'executeQuery') one();
        const found: unknown = Reflect.get(whole, name, whole);
        return typeof found === 'function' ? found.bind(whole) : found;
      },
    });
  }
  return {
    statements: () => statements,
    isGone: () => isGone,
    store: over(store, {
      db: mortalDb(store.db),
      async transaction(work, options) {
        if (isGone) throw new Error('the process is gone');
        return store.transaction((tx) => work(over(tx, { db: mortalDb(tx.db) })), options);
      },
    }),
  };
}

/** The same with something else: its repositories are made when they are asked for, and are no fields of it. */
const over = <T extends object>(whole: T, other: Partial<T>): T =>
  Object.assign(Object.create(whole) as T, other);
