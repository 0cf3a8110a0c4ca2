/** Derives the IDs of traces and spans, so that a run can send them before its spans exist (W3C Trace Context). */
import { createHash } from 'node:crypto';
import { isObject } from '../base/object.ts';
import type { Job } from './port.ts';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Returns the trace of a session, whose UUID has as many digits; undefined if the ID is no UUID. */
export const traceIdOf = (sessionId: unknown): string | undefined =>
  typeof sessionId === 'string' && UUID.test(sessionId) ? sessionId.replaceAll('-', '') : undefined;

/** Returns the ID of a span from its name within the trace. */
export const spanIdOf = (traceId: string, name: string): string =>
  createHash('sha256').update(`${traceId}/${name}`).digest('hex').slice(0, 16);

export const rootSpanIdOf = (traceId: string): string => spanIdOf(traceId, 'session');
export const attemptSpanIdOf = (traceId: string, runId: number): string => spanIdOf(traceId, `run ${runId}`);

/** Returns the header of a run whose check sends it; otherwise undefined. */
export function traceparentOf({ id, check }: Pick<Job, 'id' | 'check'>): string | undefined {
  if (!isObject(check) || check.sendTraceparent !== true) return undefined;
  const traceId = traceIdOf(check.sessionId);
  return traceId && `00-${traceId}-${attemptSpanIdOf(traceId, id)}-01`;
}
