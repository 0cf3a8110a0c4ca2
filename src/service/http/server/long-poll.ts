/** Waits for the end of a session until the time is up, the caller goes away or the service stops. */
import { createLinkedController } from '../../../base/abort.ts';
import type { AwaitedSession } from '../../engine/engine.ts';
import { Problem } from '../api/problem.ts';

/** Runs `wait` with a signal that aborts with either of the two. Removes its listeners at the end of the wait. */
export async function withEitherSignal<T>(
  caller: AbortSignal,
  stopping: AbortSignal,
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const both = createLinkedController(caller, stopping);
  try {
    return await wait(both.signal);
  } finally {
    both.unlink();
  }
}

/**
 * Returns the session after it has ended, undefined if there is none. Throws `Problem` 408 (endpoint 9, rule 4) if it
 * is still running at the end of the wait or when the service stops.
 */
export async function awaitCompletion<Session>(
  caller: AbortSignal,
  stopping: AbortSignal,
  wait: (signal: AbortSignal) => Promise<AwaitedSession<Session> | undefined>,
): Promise<Session | undefined> {
  const outcome = await withEitherSignal(caller, stopping, wait);
  if (!outcome) return undefined;
  if (outcome.ended) return outcome.session;
  throw new Problem(408, 'The session is still running. Ask again', {
    ...(stopping.aborted ? { headers: { 'retry-after': '1', connection: 'close' } } : {}),
  });
}
