/** A store that goes away before the nth statement, as kill -9 takes a process away from its store at any point. */
import type { KyselyPlugin } from 'kysely';
import type { Store, StoreTransaction } from '../../../src/service/store/index.ts';

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
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (isGone || statements >= dies) {
        isGone = true;
        throw new Error('the process is gone');
      }
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return {
    statements: () => statements,
    isGone: () => isGone,
    store: over(store, {
      db: store.db.withPlugin(plugin),
      async transaction(work, options) {
        if (isGone) throw new Error('the process is gone');
        return store.transaction((tx) => work(mortal(tx, plugin)), options);
      },
    }),
  };
}

/** The same with something else: its repositories are made when they are asked for, and are no fields of it. */
const over = <T extends object>(whole: T, other: Partial<T>): T =>
  Object.assign(Object.create(whole) as T, other);

const mortal = (tx: StoreTransaction, plugin: KyselyPlugin): StoreTransaction =>
  over(tx, { db: tx.db.withPlugin(plugin) });
