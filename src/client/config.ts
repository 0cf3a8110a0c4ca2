/** Defines the configuration of a client and its defaults. */
import type { Dispatcher } from 'undici';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';

/** Announces a wait that starts now. */
export interface WaitNotice {
  /** `retry`: the last attempt failed. `rate`: the documented rate limit applies. */
  readonly kind: 'retry' | 'rate';
  /** `METHOD /path` as in the specification's table. */
  readonly endpoint: string;
  /** The number of the attempt that follows the wait: 2 for the first retry. */
  readonly attempt: number;
  /** The reason, as a sentence without a full stop. */
  readonly reason: string;
  readonly waitMs: number;
}

/** A successful answer to a call. */
export interface ReceivedAnswer {
  /** The name of the endpoint in the contract, and `METHOD /path`. */
  readonly name: string;
  readonly endpoint: string;
  readonly body: unknown;
}

export interface ClientConfig {
  /** URL of the API, with or without a path. */
  readonly baseUrl: string;
  readonly accountId?: string | undefined;
  /** Name of the header that carries the account id. Default `x-service-account`. */
  readonly accountHeader?: string | undefined;
  /** Returns the key. Called once for each attempt, immediately before sending. */
  readonly getKey: () => Promise<string>;
  /** `sonde/<version>`. */
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Contains proxy variables: HTTPS_PROXY, HTTP_PROXY, NO_PROXY, also in lower case. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Replaces the connection pool in tests of schedules. */
  readonly dispatcher?: Dispatcher | undefined;
  /** Time for a complete answer, from sending. Default 30,000 ms. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * Time after the first failure in which a call is retried; 0 disables retries. Default 60,000 ms, or 0 if this
   * machine refuses connections and the service has not answered yet.
   */
  readonly retryBudgetMs?: number | undefined;
  /** The command that starts a local service, `sonde service start`, for hints. */
  readonly startCommand?: string | undefined;
  /** Called before each wait. */
  readonly onRetry?: ((notice: WaitNotice) => void) | undefined;
  /** Called with each successful answer to a call. */
  readonly onAnswer?: ((answer: ReceivedAnswer) => void) | undefined;
  /** Called once for each warning of the service (`x-warning`, `x-ignored-fields`). */
  readonly onWarning?: ((sentence: string) => void) | undefined;
  /** Called with each line of requests and answers, without secrets. */
  readonly trace?: ((line: string) => void) | undefined;
}

export const DEFAULT_ACCOUNT_HEADER = 'x-service-account';
export const DEFAULT_REQUEST_TIMEOUT_MS = 30_000;
export const DEFAULT_RETRY_BUDGET_MS = 60_000;
export const CONNECT_TIMEOUT_MS = 10_000;
/** Maximum size of an answer: 64 MiB. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
