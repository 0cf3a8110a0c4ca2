/** Declares what a worker needs from the queue, which is in the same process or behind HTTP. */
import type { AbortControllerLike } from '../base/abort.ts';
import type { EvaluationOrigin, RunContext } from '../runners/core/runner.ts';
import type { Attempt } from '../runners/execute.ts';

/** Abort reason for an attempt that the worker releases. */
export const RELEASED = 'released';

export interface Job {
  readonly id: number;
  readonly checkType: string;
  /** The check, as its runner expects it. */
  readonly check: unknown;
  readonly location: string;
  /** Earliest start, in ms since the epoch. Default: at once. */
  readonly notBefore?: number;
  /** Timeout of the attempt, in ms. */
  readonly timeoutMs: number;
  /** Values that must not appear in the result. */
  readonly secrets: readonly string[];
  /** Undefined: all attempts are of one account. */
  readonly origin?: EvaluationOrigin;
  /** Reads the client certificates that the attempt may present; undefined: there are none. */
  readonly clientCertificates: RunContext['clientCertificates'];
  /** Aborted if the attempt is cancelled or its claim is lost; by the worker, with `RELEASED`, if it releases it. */
  readonly stop: AbortControllerLike;
}

/** The result of an attempt. `mayRetry` false: a retry cannot help, whatever the check's strategy is. */
export interface Report extends Attempt {
  readonly mayRetry?: boolean;
}

export interface WorkerPort {
  /**
   * Returns at most `capacity()` attempts, as soon as there are any. Returns none only if `signal` is aborted or
   * there is no capacity left.
   */
  claim(capacity: () => number, signal: AbortSignal): Promise<readonly Job[]>;
  /** Renews the claims of running attempts. */
  renew(ids: readonly number[]): Promise<void>;
  /**
   * Reports the result of an attempt. Rejects if it could not be stored; the attempt then becomes claimable again.
   * Files of the report are deleted afterwards unless they were moved.
   */
  report(id: number, report: Report): Promise<void>;
  /** Releases attempts that will not finish. */
  release(ids: readonly number[]): Promise<void>;
}
