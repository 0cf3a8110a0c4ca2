/** Implements the API client: typed calls of the contract's endpoints over one connection pool. */
import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import type { ResponseOf } from '../contract/index.ts';
import { type Answer, type AttemptContext, attemptOnce } from './attempt.ts';
import {
  type ClientConfig,
  DEFAULT_REQUEST_TIMEOUT_MS,
  DEFAULT_RETRY_BUDGET_MS,
  MAX_ANSWER_BYTES,
} from './config.ts';
import { openDispatcher, proxyFor } from './dispatcher.ts';
import type { CallOptions, Client } from './interface.ts';
import { readPages } from './pages.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { planCall, planRaw, type RequestPlan } from './request.ts';
import { withRetries } from './retry.ts';
import { parseBaseUrl } from './url.ts';

/** Creates a client. It loads and connects nothing before its first call. Throws UsageError for an invalid base URL. */
export function createClient(config: ClientConfig): Client {
  const { clock, random, env = {} } = config;
  const base = parseBaseUrl(config.baseUrl);
  const limiter = createRateLimiter(clock);
  let dispatcherPromise: Promise<Dispatcher> | undefined;
  // A service that answered before is probably restarting, so the client retries.
  let hasAnswered = false;
  const warned = new Set<string>();
  const onWarning = (sentence: string): void => {
    if (!warned.has(sentence)) config.onWarning?.(sentence);
    warned.add(sentence);
  };

  const waitForRate = async (
    plan: RequestPlan,
    attempt: number,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    const waitMs = limiter.reserve(plan.rate);
    if (waitMs <= 0) return;
    const reason = 'respecting the documented rate limit';
    config.onRetry?.({ kind: 'rate', endpoint: plan.endpoint, attempt, reason, waitMs });
    await clock.sleep(waitMs, signal);
  };

  const send = async (plan: RequestPlan, options: CallOptions = {}): Promise<Answer<unknown>> => {
    const {
      signal,
      retry = true,
      maxBytes = MAX_ANSWER_BYTES,
      budgetMs: maxBudgetMs = Number.POSITIVE_INFINITY,
    } = options;
    signal?.throwIfAborted();
    // Many calls may listen to one signal, which Node would report as a leak.
    if (signal) setMaxListeners(0, signal);
    dispatcherPromise ??= config.dispatcher ? Promise.resolve(config.dispatcher) : openDispatcher(base, env);
    const context: AttemptContext = {
      dispatcher: await dispatcherPromise,
      getKey: config.getKey,
      accountId: config.accountId,
      clock,
      trace: config.trace,
      proxy: proxyFor(base, env)?.host,
      startCommand: config.startCommand,
      onWarning,
    };
    const answerTimeoutMs = options.answerTimeoutMs ?? config.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS;
    const budgetMs = Math.min(config.retryBudgetMs ?? DEFAULT_RETRY_BUDGET_MS, maxBudgetMs);
    return withRetries(
      {
        repeat: !retry ? 'never' : options.mayActTwice && plan.repeat === 'unsent' ? 'gateway' : plan.repeat,
        budgetMs,
        noListenerBudgetMs: hasAnswered || config.retryBudgetMs !== undefined ? budgetMs : 0,
        clock,
        random,
        signal,
        onWait: ({ reason }, attempt, waitMs) => {
          config.onRetry?.({ kind: 'retry', endpoint: plan.endpoint, attempt, reason, waitMs });
          config.trace?.(`* ${reason}; attempt ${attempt} in ${Math.round(waitMs)} ms`);
        },
      },
      async (number) => {
        await waitForRate(plan, number, signal);
        const outcome = await attemptOnce(plan, context, { answerTimeoutMs, signal, maxBytes }, number);
        hasAnswered ||= outcome.kind === 'done';
        return outcome;
      },
    );
  };

  const call: Client['call'] = async (endpoint, input, options) => {
    const answer = await send(planCall(config, endpoint, input, options?.ifMatch), options);
    const { name, method, path } = endpoint;
    config.onAnswer?.({ name, endpoint: `${method} ${path}`, body: answer.body });
    return answer as Answer<ResponseOf<typeof endpoint>>;
  };

  return {
    call,
    raw: async (method, path, input = {}, options) => send(planRaw(config, method, path, input), options),
    pages: (endpoint, input, options) => readPages(call, endpoint, input, options),
    async close() {
      const dispatcher = await dispatcherPromise?.catch(() => undefined);
      await dispatcher?.destroy();
    },
  };
}
