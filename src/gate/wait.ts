/** Waits for one session: a loop over an injected clock and an injected way of asking, so that any schedule can be tried. */
import type { Clock } from '../base/clock.ts';
import { type ApiError, NetworkError, type SondeError } from '../base/errors.ts';
import type { Random } from '../base/random.ts';
import { readSession, type SessionBody, type SessionKind, type Verdict } from './verdict.ts';

/** What asking once came to. */
export type Answer =
  /** A 200 with this body. */
  | { readonly kind: 'body'; readonly body: unknown; readonly retryAfterMs?: number | undefined }
  /** A 408: still running at the end of the wait. */
  | { readonly kind: 'pending'; readonly retryAfterMs?: number | undefined }
  /** Something that may pass: the network, 429, 5xx, an answer that is not the API's. */
  | { readonly kind: 'fault'; readonly error: SondeError; readonly retryAfterMs?: number | undefined }
  /** Something that will not: 401, 403, 404 and their like. */
  | { readonly kind: 'refused'; readonly error: ApiError };

/** Asks about a session, waiting at the service for at most `maxWaitSeconds` (0: not at all). Rejects only when aborted. */
export type Ask = (id: string, maxWaitSeconds: number, signal: AbortSignal) => Promise<Answer>;

export interface WaitOptions {
  readonly kind: SessionKind;
  readonly id: string;
  readonly ask: Ask;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** On the monotonic clock, in ms: when the gate gives up. */
  readonly deadline: number;
  /** Seconds that a poll may wait at the service: 30, or 0 where many sessions are asked in turn. */
  readonly longestPoll: number;
  /** The shortest time between two questions, in ms: 1,000, or more where many are asked in turn. */
  readonly pace: number;
  /** True for a session that was just started: a 404 may only mean that it is not known everywhere yet. */
  readonly justStarted: boolean;
  /** Told of every usable answer that is not the end. */
  readonly onRunning: (session: SessionBody) => void;
  /** Told of every fault that is ridden out. */
  readonly onFault: (error: SondeError) => void;
}

/** How the wait for a session ended. `session` is the last usable answer. */
export type WaitOutcome =
  | { readonly kind: 'ended'; readonly verdict: Verdict; readonly session: SessionBody }
  | { readonly kind: 'refused'; readonly error: ApiError; readonly session?: SessionBody | undefined }
  | { readonly kind: 'deadline'; readonly session?: SessionBody | undefined }
  | { readonly kind: 'fault'; readonly error: SondeError; readonly session?: SessionBody | undefined };

/** For how long a 404 is ridden out where the session must exist. */
const UNKNOWN_MS = 10_000;
/** The pauses after faults: doubled from the first to the last, each between its half and its whole. */
const FIRST_PAUSE = 500;
const LAST_PAUSE = 5_000;

/**
 * Asks until the session has ended, the service refuses, or the deadline passes; faults in between are ridden out.
 * Never two questions within `pace` of each other. Rejects with the signal's reason when aborted.
 */
export async function waitForSession(options: WaitOptions): Promise<WaitOutcome> {
  const { kind, id, ask, clock, random, signal, deadline } = options;
  let session: SessionBody | undefined;
  let fault: SondeError | undefined;
  let faults = 0;
  let unknownSince: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const asked = clock.monotonic();
    const secondsLeft = (deadline - asked) / 1000;
    if (secondsLeft <= 0)
      return fault ? { kind: 'fault', error: fault, session } : { kind: 'deadline', session };
    const maxWait =
      options.longestPoll === 0 ? 0 : Math.max(1, Math.min(options.longestPoll, Math.floor(secondsLeft)));

    const answer = await withinDeadline(ask, id, maxWait, options);
    let pause = 0;
    fault = undefined;
    switch (answer.kind) {
      case 'body': {
        const reading = readSession(kind, id, answer.body);
        if (reading.kind === 'ended') return reading;
        if (reading.kind === 'running') {
          session = reading.session;
          pause = answer.retryAfterMs ?? 0;
          options.onRunning(session);
        } else fault = new NetworkError(reading.why, { status: 200 });
        break;
      }
      case 'pending':
        pause = answer.retryAfterMs ?? 0;
        break;
      case 'fault':
        fault = answer.error;
        pause = answer.retryAfterMs ?? 0;
        break;
      case 'refused': {
        unknownSince ??= asked;
        const mayAppear = answer.error.status === 404 && (options.justStarted || session !== undefined);
        if (!mayAppear || clock.monotonic() - unknownSince >= UNKNOWN_MS) {
          return { kind: 'refused', error: answer.error, session };
        }
        fault = answer.error;
        break;
      }
      default:
        return answer satisfies never;
    }
    if (answer.kind !== 'refused') unknownSince = undefined;
    if (fault) {
      options.onFault(fault);
      const most = Math.min(LAST_PAUSE, FIRST_PAUSE * 2 ** Math.min(faults, 10));
      pause = Math.max(pause, most / 2 + (most / 2) * random.next());
      faults += 1;
    } else faults = 0;
    const next = Math.max(clock.monotonic() + pause, asked + options.pace);
    await clock.sleep(Math.min(next, deadline) - clock.monotonic(), signal);
  }
}

/** One question, broken off at the deadline: a service that hangs must not hold the gate beyond it. */
async function withinDeadline(ask: Ask, id: string, maxWait: number, options: WaitOptions): Promise<Answer> {
  const { clock, deadline, signal } = options;
  const asking = new AbortController();
  const stop = () => asking.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const timer = new AbortController();
  // Half a second for an answer that was sent right at the end of the wait.
  const timedOut = clock
    .sleep(deadline - clock.monotonic() + 500, timer.signal)
    .then((): Answer => ({ kind: 'pending' }));
  timedOut.catch(() => {});
  try {
    return await Promise.race([ask(id, maxWait, asking.signal), timedOut]);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    timer.abort();
    asking.abort();
    signal.removeEventListener('abort', stop);
  }
}
