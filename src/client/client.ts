/** The client of the API: typed calls of the contract's endpoints over one pool of connections. */
import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import type { Endpoint, Input, ResponseOf } from '../contract/index.ts';
import { parseBaseUrl } from './address.ts';
import { type Answer, type AttemptContext, attemptOnce } from './attempt.ts';
import { type ClientConfig, DEFAULT_REQUEST_TIMEOUT_MS, DEFAULT_RETRY_BUDGET_MS } from './config.ts';
import { openDispatcher, proxyFor } from './dispatcher.ts';
import { type Page, type PagesOptions, pagesOf } from './pages.ts';
import { createRateLimiter } from './rate.ts';
import { type Plan, planCall, planRaw, type RawInput } from './request.ts';
import { withRetries } from './retry.ts';

export interface CallOptions {
  /** Ends the call at once, also while it waits; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Instead of the client's, for long polls: their own wait and 10 s. */
  readonly answerTimeoutMs?: number | undefined;
  /** False: one attempt only, for those who ride out faults themselves. */
  readonly retry?: boolean | undefined;
  /** Instead of the client's retry budget, in ms. */
  readonly budgetMs?: number | undefined;
}

export interface Client {
  /**
   * Calls an endpoint. Rejects with UsageError (an id that no path can hold; nothing was sent), CredentialsError,
   * RefusedError (an ApiError: the service said no), NetworkError (no usable answer), or the signal's reason.
   */
  call<E extends Endpoint>(
    endpoint: E,
    input: Input<E>,
    options?: CallOptions,
  ): Promise<Answer<ResponseOf<E>>>;
  /** Sends what a person wrote by hand; `body` is undefined where the answer is not JSON. Rejects as `call` does. */
  raw(method: string, path: string, input?: RawInput, options?: CallOptions): Promise<Answer<unknown>>;
  /** The pages of a list, one after the other. Rejects as `call` does. */
  pages<E extends Endpoint>(
    endpoint: E,
    input: Input<E>,
    options?: PagesOptions & CallOptions,
  ): AsyncGenerator<Page<E>, void, undefined>;
  /** Drops all connections; what is still under way fails. */
  close(): Promise<void>;
}

/** Makes a client. Nothing is loaded or connected before its first call. Throws UsageError for an unusable base URL. */
export function createClient(config: ClientConfig): Client {
  const { clock, random, env = {} } = config;
  const base = parseBaseUrl(config.baseUrl);
  const limiter = createRateLimiter(clock);
  let opening: Promise<Dispatcher> | undefined;

  const keepRate = async (plan: Plan, attempt: number, signal: AbortSignal | undefined): Promise<void> => {
    const waitMs = limiter.reserve(plan.rate);
    if (waitMs <= 0) return;
    const reason = 'the documented rate is kept';
    config.onRetry?.({ kind: 'rate', endpoint: plan.endpoint, attempt, reason, waitMs });
    await clock.sleep(waitMs, signal);
  };

  const send = async (plan: Plan, options: CallOptions = {}): Promise<Answer<unknown>> => {
    const { signal, retry = true } = options;
    signal?.throwIfAborted();
    // Many calls may hang on one signal: Node would take them for a leak and warn.
    if (signal) setMaxListeners(0, signal);
    opening ??= openDispatcher(base, env);
    const context: AttemptContext = {
      dispatcher: await opening,
      getKey: config.getKey,
      accountId: config.accountId,
      clock,
      trace: config.trace,
      proxy: proxyFor(base, env)?.host,
    };
    const answerTimeoutMs = options.answerTimeoutMs ?? config.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS;
    return withRetries(
      {
        repeat: retry ? plan.repeat : 'never',
        budgetMs: options.budgetMs ?? config.retryBudgetMs ?? DEFAULT_RETRY_BUDGET_MS,
        clock,
        random,
        signal,
        onWait: ({ reason }, attempt, waitMs) => {
          config.onRetry?.({ kind: 'retry', endpoint: plan.endpoint, attempt, reason, waitMs });
          config.trace?.(`* ${reason}; attempt ${attempt} follows in ${Math.round(waitMs)} ms`);
        },
      },
      async (number) => {
        await keepRate(plan, number, signal);
        return attemptOnce(plan, context, { answerTimeoutMs, signal }, number);
      },
    );
  };

  const call: Client['call'] = async (endpoint, input, options) =>
    (await send(planCall(config, endpoint, input), options)) as Answer<ResponseOf<typeof endpoint>>;

  return {
    call,
    raw: async (method, path, input = {}, options) => send(planRaw(config, method, path, input), options),
    pages: (endpoint, input, options) => pagesOf(call, endpoint, input, options),
    async close() {
      const dispatcher = await opening?.catch(() => undefined);
      await dispatcher?.destroy();
    },
  };
}
