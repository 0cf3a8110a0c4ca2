/** Probes a canary. */
import type { Clock } from '../../base/clock.ts';
import type { RunContext } from '../core/runner.ts';
import { run as runUrl } from '../http/url-runner.ts';
import { run as runTcp } from '../tcp/runner.ts';
import type { Canary } from './canary.ts';

/** The part of a run's environment that decides how a target is reached. */
export type Reach = Pick<RunContext, 'lookup' | 'proxyFor'>;

/** Limit of a probe in ms. A quarter of it is reserved for the work after the wait. */
const PROBE_TIMEOUT_MS = 4000;

/** Returns whether a canary answers. Any answer counts, even an error: it proves that the network works. */
export async function probeCanary(
  { target }: Canary,
  clock: Clock,
  reach: Reach,
  signal: AbortSignal,
): Promise<boolean> {
  const context: RunContext = {
    ...reach,
    clock,
    location: '',
    resolvers: () => [],
    timeoutMs: PROBE_TIMEOUT_MS,
    // No text of the target is evaluated, so no separate process is needed.
    evaluate: async (evaluation, input) => evaluation.run(input),
  };
  const outcome =
    'url' in target
      ? await runUrl({ request: { ...target, skipSSL: true, followRedirects: false } }, context, signal)
      : await runTcp({ request: target }, context, signal);
  return !outcome.isNetworkError;
}
