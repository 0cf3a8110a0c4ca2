/** What a client is given, and what holds where nothing was said. */
import type { Dispatcher } from 'undici';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';

/** A wait that is about to begin, so that somebody can be told. */
export interface WaitNotice {
  /** `retry`: the last attempt went wrong. `rate`: the documented rate is kept. */
  readonly kind: 'retry' | 'rate';
  /** `METHOD /path` as in the specification's table. */
  readonly endpoint: string;
  /** The number of the attempt that follows the wait: 2 for the first retry. */
  readonly attempt: number;
  /** Why, as a sentence without a full stop. */
  readonly reason: string;
  readonly waitMs: number;
}

/** A good answer to a call. */
export interface ReceivedAnswer {
  /** The endpoint by its name in the contract, and as `METHOD /path`. */
  readonly name: string;
  readonly endpoint: string;
  readonly body: unknown;
}

export interface ClientConfig {
  /** Where the API is, with or without a path below which it lives. */
  readonly baseUrl: string;
  readonly accountId?: string | undefined;
  /** Name of the header that carries the account id. Default `x-service-account`. */
  readonly accountHeader?: string | undefined;
  /** Reveals the key; called at the moment of sending, once an attempt. */
  readonly getKey: () => Promise<string>;
  /** `sonde/<version>`. */
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Only the proxy variables are read: HTTPS_PROXY, HTTP_PROXY, NO_PROXY, lower-case too. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** In place of a pool of its own: tests of schedules hand in what answers. */
  readonly dispatcher?: Dispatcher | undefined;
  /** For a whole answer, from the moment of sending. Default 30,000 ms. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * For how long after its first failure a call is tried again. Default 60,000 ms, and 0 where nothing listens on this
   * machine and nothing has answered yet; 0: never.
   */
  readonly retryBudgetMs?: number | undefined;
  /** The command that starts the service, where it is one of this machine: `sonde service start`. For hints. */
  readonly startCommand?: string | undefined;
  /** Told before each wait. */
  readonly onRetry?: ((notice: WaitNotice) => void) | undefined;
  /** Given each good answer to a call, as it came. */
  readonly onAnswer?: ((answer: ReceivedAnswer) => void) | undefined;
  /** Given each warning of the service (`x-warning`) once. */
  readonly onWarning?: ((sentence: string) => void) | undefined;
  /** Given each line of what is sent and what comes back, without secrets. */
  readonly trace?: ((line: string) => void) | undefined;
}

export const DEFAULT_ACCOUNT_HEADER = 'x-service-account';
export const DEFAULT_REQUEST_TIMEOUT_MS = 30_000;
export const DEFAULT_RETRY_BUDGET_MS = 60_000;
export const CONNECT_TIMEOUT_MS = 10_000;
/** The longest answer that is read: 64 MiB. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
