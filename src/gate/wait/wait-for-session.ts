/** Waits for one session: a loop over an injected clock and an injected poll function, so that tests can run any schedule. */
import { createLinkedController, onAbort } from '../../base/abort.ts';
import { exponentialBackoff } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { type ApiError, NetworkError, type SondeError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { judgeSession } from './judge.ts';
import type { PollScheduler } from './poll-scheduler.ts';
import type { EndedSession, SessionBody, SessionKind } from './verdict.ts';

/** The classified response of one poll. */
export type PollResult =
  /** A 200 with a body. */
  | { readonly kind: 'body'; readonly body: unknown }
  /** A 408: still running at the end of the wait. */
  | { readonly kind: 'pending'; readonly retryAfterMs?: number | undefined }
  /** A temporary error: the network, 429 (`limited`), 5xx, or a response that is not from the API. */
  | {
      readonly kind: 'fault';
      readonly error: SondeError;
      readonly retryAfterMs?: number | undefined;
      readonly limited?: boolean;
    }
  /** The session is unknown, or the deployment has no long poll; reading the current state tells which. */
  | { readonly kind: 'no poll'; readonly error: ApiError }
  /** A permanent error, such as 401, 403 or 404. */
  | { readonly kind: 'refused'; readonly error: ApiError };

/**
 * Requests a session once. The service holds the request for at most `maxWaitSeconds` (0: returns the current state).
 * Rejects only when aborted.
 */
export type Poll = (id: string, maxWaitSeconds: number, signal: AbortSignal) => Promise<PollResult>;

export interface WaitOptions {
  readonly kind: SessionKind;
  readonly id: string;
  /** The session as the start request returned it. */
  readonly started?: SessionBody | undefined;
  readonly poll: Poll;
  readonly scheduler: PollScheduler;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** When the gate gives up: ms on the monotonic clock. */
  readonly deadline: number;
  /** Whether a person watches; the current state is then also read during each long poll. */
  readonly live: boolean;
  /** Whether the session was just started; a 404 may then mean that not every server knows it yet. */
  readonly justStarted: boolean;
  /** Called for each usable response while the session runs. */
  readonly onRunning: (session: SessionBody) => void;
  /** Called for each fault after which the gate continues. */
  readonly onFault: (error: SondeError) => void;
  /** Called for the first response after faults, unless the session has ended. */
  readonly onRecovered: () => void;
}

/** How the wait for a session ended. `session` is the last usable response. */
export type WaitOutcome =
  | EndedSession
  | { readonly kind: 'refused'; readonly error: ApiError; readonly session?: SessionBody | undefined }
  | { readonly kind: 'deadline'; readonly session?: SessionBody | undefined }
  | { readonly kind: 'fault'; readonly error: SondeError; readonly session?: SessionBody | undefined };

/** Minimum time between two polls of a session, in ms. */
const MIN_INTERVAL_MS = 1_000;
/** Time for which a 404 is tolerated if the session must exist, in ms. */
const NOT_FOUND_GRACE_MS = 10_000;
/** The backoff after faults, with jitter between half and the whole. */
const FAULT_BACKOFF = { minMs: 500, maxMs: 5_000 };
/** The pauses between reads of the current state, for deployments without long polls. */
const LOOK_PAUSE = { minMs: 1_000, maxMs: 10_000 };
/** Grace after the deadline for a response sent at the very end of the wait, in ms. */
const GRACE_MS = 500;

/**
 * Polls until the session ends, the service rejects the request, or the deadline passes. Continues after temporary faults.
 * Rejects with the signal's reason when aborted.
 */
export async function waitForSession(options: WaitOptions): Promise<WaitOutcome> {
  const { clock, random, signal, deadline, scheduler } = options;
  const poller = new SessionPoller(options);
  let fault: SondeError | undefined;
  let faults = 0;
  let unknownSince: number | undefined;
  let looks = 0;
  // The route counts as missing after the long poll of an existing session failed twice.
  let missed = 0;
  let mustLook = false;
  for (;;) {
    const waitSeconds = await scheduler.next();
    signal.throwIfAborted();
    const { session } = poller;
    const left = deadline - clock.monotonic();
    if (left <= 0) return fault ? { kind: 'fault', error: fault, session } : { kind: 'deadline', session };
    const isLook = waitSeconds === 0 || mustLook;
    // After a fault the first poll is short, so that the recovery is noticed soon.
    const longest = faults > 0 ? 1 : Math.min(waitSeconds, Math.floor(left / 1000));
    const answer = await poller.once(isLook ? 0 : Math.max(1, longest));
    if (answer.kind === 'silence') {
      // The deadline passed: the last response counts, unless another response was overdue.
      fault ??= answer.overdue;
      continue;
    }

    let pause = 0;
    let now: SondeError | undefined;
    switch (answer.kind) {
      case 'ended':
        return answer;
      case 'running':
        if (mustLook && missed < 2) mustLook = false;
        else if (mustLook) pause = exponentialBackoff(++looks, LOOK_PAUSE);
        break;
      case 'pending':
        break;
      case 'fault':
        now = answer.error;
        if (answer.limited) scheduler.pause(answer.retryAfterMs ?? 0);
        break;
      case 'no poll':
        missed += 1;
        mustLook = true;
        break;
      case 'refused': {
        unknownSince ??= clock.monotonic();
        const mayAppear = answer.error.status === 404 && (options.justStarted || session !== undefined);
        if (!mayAppear || clock.monotonic() - unknownSince >= NOT_FOUND_GRACE_MS) {
          return { kind: 'refused', error: answer.error, session };
        }
        now = answer.error;
        break;
      }
      default:
        return answer satisfies never;
    }
    if (answer.kind !== 'refused' && answer.kind !== 'no poll') unknownSince = undefined;
    if (answer.kind !== 'no poll') fault = now;
    if (now) {
      options.onFault(now);
      const most = exponentialBackoff(++faults, FAULT_BACKOFF);
      pause = most / 2 + (most / 2) * random.next();
    } else {
      if (faults > 0) options.onRecovered();
      faults = 0;
    }
    const next = Math.max(clock.monotonic() + pause, poller.notBefore);
    const rest = Math.min(next, deadline) - clock.monotonic();
    if (rest > 0) await clock.sleep(rest, signal);
  }
}

/** The response of one poll after reading its body: an unusable 200 is a fault. `silence`: the deadline passed first. */
type ReadResult =
  | Exclude<PollResult, { readonly kind: 'body' }>
  | { readonly kind: 'running' }
  | EndedSession
  | { readonly kind: 'silence'; readonly overdue: SondeError | undefined };

/** Polls one session, and remembers its last usable response. */
class SessionPoller {
  /** The last usable response. */
  session: SessionBody | undefined;
  /** Earliest time of the next poll: the minimum interval and Retry-After. */
  notBefore = Number.NEGATIVE_INFINITY;
  private readonly options: WaitOptions;

  constructor(options: WaitOptions) {
    this.options = options;
  }

  /** Polls once. Aborts all its requests when it returns, at the latest shortly after the deadline. */
  async once(maxWaitSeconds: number): Promise<ReadResult> {
    const { clock, deadline, signal, live } = this.options;
    const over = createLinkedController(signal);
    const sentAt = clock.monotonic();
    const stopped = new Promise<never>((_, reject) => onAbort(over.signal, () => reject(over.signal.reason)));
    const silence = clock.sleep(deadline - sentAt + GRACE_MS, over.signal).then((): ReadResult => {
      // Compares with the deadline, not the current time: on a busy machine the timer itself is late.
      const isDue = sentAt + maxWaitSeconds * 1000 <= deadline;
      const overdue = isDue ? new NetworkError('the service did not respond before the deadline') : undefined;
      return { kind: 'silence', overdue };
    });
    const responses = [this.read(maxWaitSeconds, over.signal), silence, stopped];
    if (live && maxWaitSeconds > 0) responses.push(this.readState(over.signal));
    for (const each of responses) each.catch(() => {});
    try {
      return await Promise.race(responses);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      over.unlink();
      over.abort();
    }
  }

  private async read(maxWaitSeconds: number, signal: AbortSignal): Promise<ReadResult> {
    const { poll, clock, id, kind, started, onRunning } = this.options;
    this.notBefore = Math.max(this.notBefore, clock.monotonic() + MIN_INTERVAL_MS);
    const answer = await poll(id, maxWaitSeconds, signal);
    // Ignores a response that arrives too late.
    signal.throwIfAborted();
    if ('retryAfterMs' in answer)
      this.notBefore = Math.max(this.notBefore, clock.monotonic() + (answer.retryAfterMs ?? 0));
    if (answer.kind !== 'body') return answer;
    const reading = judgeSession(kind, id, answer.body, started);
    if (reading.kind === 'unusable')
      return { kind: 'fault', error: new NetworkError(reading.why, { status: 200 }) };
    this.session = reading.session;
    if (reading.kind === 'ended') return reading;
    onRunning(reading.session);
    return { kind: 'running' };
  }

  /** Reads the current state during a long poll, for a person who watches. Only the end of the session resolves it. */
  private async readState(signal: AbortSignal): Promise<ReadResult> {
    await this.options.clock.sleep(MIN_INTERVAL_MS, signal);
    const response = await this.read(0, signal);
    return response.kind === 'ended' ? response : new Promise<never>(() => {});
  }
}
