/**
 * Defines SQL conditions for states of attempts and sessions. They are literals, not parameters: SQLite uses a partial index
 * only if the statement repeats its condition.
 */
import { type SqlBool, sql } from 'kysely';

export const isQueued = sql<SqlBool>`state = 'QUEUED'`;
export const isRunning = sql<SqlBool>`state = 'RUNNING'`;

/** Final statuses of sessions that did not pass. They are rare, so a partial index of them is small. */
const NOT_PASSED = ['FAILED', 'DEGRADED', 'TIMED_OUT', 'CANCELLED'];
export const isNotPassed = sql<SqlBool>`status in (${sql.join(NOT_PASSED.map((status) => sql.lit(status)))})`;
export const hasNotPassed = (status: string): boolean => NOT_PASSED.includes(status);

/** Returns whether the status is final. Sessions in other statuses have a deadline. */
export const hasEnded = (status: string): boolean => status === 'PASSED' || hasNotPassed(status);
