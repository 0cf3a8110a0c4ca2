/** Defines the interface of the client: calls, their options, and pages of lists. */
import type { Endpoint, Input, ResponseOf } from '../contract/index.ts';
import type { Answer } from './attempt.ts';
import type { RawInput } from './request.ts';

export interface CallOptions {
  /** Aborts the call immediately, even during a wait; the call rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the client's timeout. Long polls use their own wait plus 10 s. */
  readonly answerTimeoutMs?: number | undefined;
  /** Maximum size of an answer, in bytes. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** False makes one attempt only, for callers with their own retries. */
  readonly retry?: boolean | undefined;
  /** True retries after a 502 or 503, although the server may have acted. */
  readonly mayActTwice?: boolean | undefined;
  /** The entity tag that the resource must have; otherwise a deployment that knows this header answers 412. */
  readonly ifMatch?: string | undefined;
  /** Upper limit for the retry budget of the client, in ms. */
  readonly budgetMs?: number | undefined;
}

/** The entry type of a list, with or without an envelope. */
export type EntryOf<E> =
  ResponseOf<E> extends readonly (infer T)[]
    ? T
    : ResponseOf<E> extends { readonly entries: readonly (infer T)[] }
      ? T
      : never;

export interface Page<E> {
  readonly entries: readonly EntryOf<E>[];
  /** Whether there may be more entries. */
  readonly more: boolean;
  /** The total number of entries, if the server reports it. */
  readonly total: number | undefined;
  readonly answer: Answer<ResponseOf<E>>;
}

export interface PagesOptions {
  /** True reads all pages from the requested one, with the largest page size; otherwise only that page. */
  readonly all?: boolean | undefined;
}

export interface Client {
  /**
   * Calls an endpoint. Rejects with UsageError (an ID that is invalid in a path; nothing was sent), CredentialsError,
   * RefusedError (an ApiError: the service refused), NetworkError (no usable answer), or the reason of the signal.
   */
  call<E extends Endpoint>(
    endpoint: E,
    input: Input<E>,
    options?: CallOptions,
  ): Promise<Answer<ResponseOf<E>>>;
  /** Sends a user-written request; `body` is undefined if the answer is not JSON. Rejects like `call`. */
  raw(method: string, path: string, input?: RawInput, options?: CallOptions): Promise<Answer<unknown>>;
  /** Yields the pages of a list. Rejects like `call`, and with NetworkError if the list does not end. */
  pages<E extends Endpoint>(
    endpoint: E,
    input: Input<E>,
    options?: PagesOptions & CallOptions,
  ): AsyncGenerator<Page<E>, void, undefined>;
  /** Closes all connections; requests in progress fail. */
  close(): Promise<void>;
}
