/** What every repository is made with. */
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { RecentKeys } from './recent-keys.ts';
import type { DialectName, Executor } from './tables.ts';

export interface TransactionOptions {
  /**
   * How Postgres keeps transactions apart; SQLite always does one after the other. `serializable` unless told: as if
   * alone. `read committed` for what locks its own rows (FOR UPDATE SKIP LOCKED).
   */
  readonly isolation?: 'serializable' | 'read committed';
}

export type AtOnce = (text: string, parameters: readonly unknown[]) => readonly unknown[] | undefined;

/** The store, or a transaction of it: repositories work the same on both. */
export interface StoreContext {
  /** For repositories alone: nobody else writes SQL. */
  readonly db: Executor;
  readonly dialect: DialectName;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * The rows of a question as they are now, without waiting. Undefined where somebody has the connection, or the question
   * failed: then it is asked in its turn, through `db`, as it always is on a server and within a transaction.
   */
  readonly atOnce: AtOnce | undefined;
  /** Keys that were shown lately; undefined where other processes may revoke them. */
  readonly recentKeys: RecentKeys | undefined;
  /** Runs `work` in a transaction: the one that is open already, or one of its own. `work` may be run again. */
  atomically<T>(work: (context: StoreContext) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

/** The part of a list that is asked for. */
export interface Slice {
  /** At most so many; all where it is left out. */
  readonly limit?: number | undefined;
  /** So many are skipped. */
  readonly offset?: number | undefined;
}

/** A part of a list that is read by cursor. */
export interface CursorPage<T> {
  readonly entries: T[];
  /** What `after` continues with; null on the last page. */
  readonly nextId: string | null;
}
