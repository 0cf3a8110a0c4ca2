/** What a worker needs of whoever hands out the work: the service itself, or a service at the other end of HTTP. */
import type { AbortControllerLike } from '../base/fast-abort-controller.ts';
import type { Attempt } from '../runners/execute.ts';

/** Why a worker stops an attempt that it gives back. */
export const GIVEN_BACK = 'given back';

/** One attempt to be made. */
export interface Job {
  readonly id: number;
  readonly checkType: string;
  /** The check as its runner takes it. */
  readonly check: unknown;
  readonly location: string;
  /** It starts no sooner than this, in ms since the epoch; left out: at once. */
  readonly notBefore?: number;
  /** How long it may take, in ms. */
  readonly timeoutMs: number;
  /** Values that must appear in no result. */
  readonly secrets: readonly string[];
  /** Aborted where the attempt is cancelled or no longer this worker's; by the worker, with `GIVEN_BACK`, where it gives it back. */
  readonly stop: AbortControllerLike;
}

/** An attempt that is over. `mayRetry` false: trying again cannot help, whatever the check's strategy says. */
export interface Report extends Attempt {
  readonly mayRetry?: boolean;
}

export interface WorkerPort {
  /**
   * At most as many attempts as `capacity` tells when they are taken, as soon as there are any; none only once `signal` is
   * aborted, or where there is no capacity left.
   */
  claim(capacity: () => number, signal: AbortSignal): Promise<readonly Job[]>;
  /** Prolongs the claims of attempts that are under way. */
  renew(ids: readonly number[]): Promise<void>;
  /**
   * Hands in what an attempt found. Rejects where it could not be kept: the attempt is then claimable again later. Files that it
   * names are gone afterwards, unless they were moved away.
   */
  report(id: number, report: Report): Promise<void>;
  /** Gives attempts back that will not be finished. */
  release(ids: readonly number[]): Promise<void>;
}
