/** Adds a network capture to the result of a failed HTTP check. */
import type { RunContext, RunOutcome } from '../core/runner.ts';
import type { HttpExchange } from './types.ts';

/** Time reserved for the rest of the run, in ms. */
const MARGIN_MS = 500;

/** Returns the outcome with `capture` in its details if the network failed and `context.capture` is set. */
export async function addCapture(
  outcome: RunOutcome,
  exchanged: Pick<HttpExchange, 'hops' | 'endpoint'> | undefined,
  context: RunContext,
  signal: AbortSignal,
  startedAt: number,
): Promise<RunOutcome> {
  const last = exchanged?.hops.at(-1);
  if (context.capture === undefined || last === undefined || !outcome.isNetworkError) return outcome;
  const withDetails = (capture: unknown): RunOutcome => ({
    ...outcome,
    details: { ...outcome.details, capture },
  });
  if (last.proxy !== null)
    return withDetails({ note: 'the target is reached through a proxy: nothing is captured' });
  if (exchanged?.endpoint === undefined)
    return withDetails({ note: 'the host has no address, so there is no route to trace' });
  const elapsed = context.clock.monotonic() - startedAt;
  const remainingMs = (context.timeoutMs ?? Number.POSITIVE_INFINITY) - elapsed - MARGIN_MS;
  const captured = await context.capture(exchanged.endpoint, remainingMs, signal);
  signal.throwIfAborted();
  return withDetails(captured);
}
