/** Waits for one session: a loop over an injected clock and an injected poll function, so that tests can run any schedule. */
import { createLinkedController, onAbort } from '../../base/abort.ts';
import { exponentialBackoff } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { type ApiError, NetworkError, type SondeError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { judgeSession } from './judge.ts';
import type { ReadList } from './list-sweep.ts';
import type { Quota } from './pace.ts';
import { GRACE_MS, type PollScheduler } from './poll-scheduler.ts';
import type { EndedSession, SessionBody, SessionKind } from './verdict.ts';

/** The classified response of one poll. */
export type PollResult =
  /** A 200 with a body. */
  | { readonly kind: 'body'; readonly body: unknown; readonly quota?: Quota | undefined }
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
export interface Poll {
  (id: string, maxWaitSeconds: number, signal: AbortSignal): Promise<PollResult>;
  /** Reads the list of all sessions; left out if its entries are not complete sessions. */
  readonly list?: ReadList;
}

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
  /** It still ran at the deadline. */
  | { readonly kind: 'deadline'; readonly session?: SessionBody | undefined }
  /** It ran when it was last read, but could not be read at the deadline. */
  | { readonly kind: 'unread'; readonly session?: SessionBody | undefined }
  | { readonly kind: 'fault'; readonly error: SondeError; readonly session?: SessionBody | undefined };

/** Minimum time between two polls of a session, in ms. */
const MIN_INTERVAL_MS = 1_000;
/** Time for which a 404 is tolerated if the session must exist, in ms. */
const NOT_FOUND_GRACE_MS = 10_000;
/** The backoff after faults, with jitter between half and the whole. */
const FAULT_BACKOFF = { minMs: 500, maxMs: 5_000 };
/** The pauses between reads of the current state, for deployments without long polls. */
const LOOK_PAUSE = { minMs: 1_000, maxMs: 10_000 };
/**
 * Reads the session until it ends, the service rejects the request, or the deadline passes. Continues after temporary faults.
 * A read of the current state that would be the last one takes place at the deadline. Rejects with the signal's reason.
 */
export async function waitForSession(options: WaitOptions): Promise<WaitOutcome> {
  const { clock, random, signal, deadline, scheduler, id } = options;
  const poller = new SessionPoller(options);
  let fault: SondeError | undefined;
  let faults = 0;
  let unknownSince: number | undefined;
  let looks = 0;
  // The route counts as missing after the long poll of an existing session failed twice.
  let missed = 0;
  let mustLook = false;
  // An entry of a list that proves nothing is followed by a read of the session itself.
  let alone = false;
  const outcome = (kind: 'deadline' | 'unread'): WaitOutcome =>
    fault ? { kind: 'fault', error: fault, session: poller.session } : { kind, session: poller.session };
  const recover = () => {
    if (faults > 0) options.onRecovered();
    faults = 0;
  };
  for (;;) {
    if (poller.seenAt >= deadline) return outcome('deadline');
    const turn = await scheduler.next(id, alone);
    signal.throwIfAborted();
    if (turn.kind === 'none') return outcome('unread');
    if (turn.kind === 'entry') {
      const entry = poller.take(turn.body, turn.at);
      if (entry.kind === 'ended') return entry;
      alone = entry.kind === 'fault';
      if (alone) continue;
      fault = undefined;
      unknownSince = undefined;
      recover();
      continue;
    }
    alone = false;
    let left = deadline - clock.monotonic();
    const isLook = turn.seconds === 0 || mustLook || left <= 0;
    if (isLook && left < MIN_INTERVAL_MS && poller.session && left > 0) {
      await clock.sleep(left, signal);
      left = 0;
    }
    if (left <= 0 && poller.notBefore > clock.monotonic()) return outcome('unread');
    // After a fault the first poll is short, so that the recovery is noticed soon.
    const longest = faults > 0 ? 1 : Math.min(turn.seconds, Math.floor(left / 1000));
    const answer = await poller.once(isLook ? 0 : Math.max(1, longest));
    if (answer.kind === 'silence') {
      // The deadline passed: a list may know more than this response that did not come.
      const entry = scheduler.takeEntry(id);
      const reading = entry && poller.take(entry.body, entry.at);
      if (reading?.kind === 'ended') return reading;
      // The last response counts, unless another response was overdue.
      fault ??= answer.overdue;
      return outcome(left > 0 ? 'deadline' : 'unread');
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
        if (answer.limited) scheduler.pace.slowDown(answer.retryAfterMs);
        break;
      case 'no poll':
        missed += 1;
        mustLook = true;
        break;
      case 'refused': {
        unknownSince ??= clock.monotonic();
        const mayAppear =
          answer.error.status === 404 && (options.justStarted || poller.session !== undefined);
        if (!mayAppear || clock.monotonic() - unknownSince >= NOT_FOUND_GRACE_MS) {
          return { kind: 'refused', error: answer.error, session: poller.session };
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
    } else recover();
    if (left <= 0) return outcome(poller.seenAt >= deadline ? 'deadline' : 'unread');
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
  /** When it was last known to run: ms on the monotonic clock. */
  seenAt = Number.NEGATIVE_INFINITY;
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
    const { poll, clock, id, scheduler } = this.options;
    this.notBefore = Math.max(this.notBefore, clock.monotonic() + MIN_INTERVAL_MS);
    const answer = await poll(id, maxWaitSeconds, signal);
    // Ignores a response that arrives too late.
    signal.throwIfAborted();
    if ('retryAfterMs' in answer)
      this.notBefore = Math.max(this.notBefore, clock.monotonic() + (answer.retryAfterMs ?? 0));
    if (answer.kind === 'pending') this.seenAt = clock.monotonic();
    if (answer.kind !== 'body') return answer;
    scheduler.pace.learn(answer.quota);
    return this.take(answer.body, clock.monotonic());
  }

  /** Judges a response or an entry of a list, which is as old as `at`. */
  take(
    body: unknown,
    at: number,
  ): EndedSession | Extract<ReadResult, { readonly kind: 'running' | 'fault' }> {
    const { id, kind, started, onRunning } = this.options;
    const reading = judgeSession(kind, id, body, started);
    if (reading.kind === 'unusable')
      return { kind: 'fault', error: new NetworkError(reading.why, { status: 200 }) };
    this.session = reading.session;
    if (reading.kind === 'ended') return reading;
    this.seenAt = Math.max(this.seenAt, at);
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
