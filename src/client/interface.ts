/** What the client offers: its calls, their options, and the pages of lists. */
import type { Endpoint, Input, ResponseOf } from '../contract/index.ts';
import type { Answer } from './attempt.ts';
import type { RawInput } from './request.ts';

export interface CallOptions {
  /** Ends the call at once, also while it waits; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Instead of the client's, for long polls: their own wait and 10 s. */
  readonly answerTimeoutMs?: number | undefined;
  /** The longest answer that is read, in bytes, instead of the client's 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** False: one attempt only, for those who ride out faults themselves. */
  readonly retry?: boolean | undefined;
  /** True: the request is repeated after a 502 or 503, although the server may have acted. */
  readonly mayActTwice?: boolean | undefined;
  /** The most that is used of the client's retry budget, in ms. */
  readonly budgetMs?: number | undefined;
}

/** What a list holds, of both kinds of list. */
export type EntryOf<E> =
  ResponseOf<E> extends readonly (infer T)[]
    ? T
    : ResponseOf<E> extends { readonly entries: readonly (infer T)[] }
      ? T
      : never;

export interface Page<E> {
  readonly entries: readonly EntryOf<E>[];
  /** Whether there may be more. */
  readonly more: boolean;
  /** How many there are in all, where the server says so. */
  readonly total: number | undefined;
  readonly answer: Answer<ResponseOf<E>>;
}

export interface PagesOptions {
  /** Every page, from the one asked for, as large as they may be; else only that one. */
  readonly all?: boolean | undefined;
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
  /** The pages of a list, one after the other. Rejects as `call` does, and with NetworkError where a server never comes to its end. */
  pages<E extends Endpoint>(
    endpoint: E,
    input: Input<E>,
    options?: PagesOptions & CallOptions,
  ): AsyncGenerator<Page<E>, void, undefined>;
  /** Drops all connections; what is still under way fails. */
  close(): Promise<void>;
}
