/**
 * States of attempts and sessions as conditions. They are written out, not bound: SQLite uses an index of some rows only where the
 * statement repeats the condition of the index.
 */
import { type SqlBool, sql } from 'kysely';

export const isQueued = sql<SqlBool>`state = 'QUEUED'`;
export const isRunning = sql<SqlBool>`state = 'RUNNING'`;

/** How a session ends that did not pass: seldom, so that an index of these alone costs little. */
const NOT_PASSED = ['FAILED', 'DEGRADED', 'TIMED_OUT', 'CANCELLED'];
export const isNotPassed = sql<SqlBool>`status in (${sql.join(NOT_PASSED.map((status) => sql.lit(status)))})`;
export const hasNotPassed = (status: string): boolean => NOT_PASSED.includes(status);

/** Sessions that have ended. All others have a deadline. */
export const hasEnded = (status: string): boolean => status === 'PASSED' || hasNotPassed(status);
