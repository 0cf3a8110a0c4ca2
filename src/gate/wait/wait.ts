/** Waits for one session: a loop over an injected clock and an injected way of asking, so that any schedule can be tried. */
import type { Clock } from '../../base/clock.ts';
import { type ApiError, NetworkError, type SondeError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { Turns } from './poll-scheduler.ts';
import { readSession, type SessionBody, type SessionKind, type Verdict } from './verdict.ts';

/** What asking once came to. */
export type Answer =
  /** A 200 with this body. */
  | { readonly kind: 'body'; readonly body: unknown }
  /** A 408: still running at the end of the wait. */
  | { readonly kind: 'pending'; readonly retryAfterMs?: number | undefined }
  /** Something that may pass: the network, 429 (`limited`), 5xx, an answer that is not the API's. */
  | {
      readonly kind: 'fault';
      readonly error: SondeError;
      readonly retryAfterMs?: number | undefined;
      readonly limited?: boolean;
    }
  /** Either the session is unknown, or this deployment has no long poll: a look tells. */
  | { readonly kind: 'no poll'; readonly error: ApiError }
  /** Something that will not pass: 401, 403, 404 and their like. */
  | { readonly kind: 'refused'; readonly error: ApiError };

/**
 * Asks about a session with one request, waiting at the service for at most `maxWaitSeconds` (0: not at all, a look).
 * Rejects only when aborted.
 */
export type Ask = (id: string, maxWaitSeconds: number, signal: AbortSignal) => Promise<Answer>;

export interface WaitOptions {
  readonly kind: SessionKind;
  readonly id: string;
  readonly ask: Ask;
  readonly turns: Turns;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** On the monotonic clock, in ms: when the gate gives up. */
  readonly deadline: number;
  /** Whether somebody watches: then a look follows each poll that is held. */
  readonly live: boolean;
  /** True for a session that was just started: a 404 may only mean that it is not known everywhere yet. */
  readonly justStarted: boolean;
  /** Told of every usable answer that is not the end. */
  readonly onRunning: (session: SessionBody) => void;
  /** Told of every fault that is ridden out. */
  readonly onFault: (error: SondeError) => void;
  /** Told of the first answer after faults, unless it is the end. */
  readonly onRecovered: () => void;
}

/** How the wait for a session ended. `session` is the last usable answer. */
export type WaitOutcome =
  | { readonly kind: 'ended'; readonly verdict: Verdict; readonly session: SessionBody }
  | { readonly kind: 'refused'; readonly error: ApiError; readonly session?: SessionBody | undefined }
  | { readonly kind: 'deadline'; readonly session?: SessionBody | undefined }
  | { readonly kind: 'fault'; readonly error: SondeError; readonly session?: SessionBody | undefined };

/** Never two questions about a session within this time, in ms. */
const PACE = 1_000;
/** For how long a 404 is ridden out where the session must exist. */
const UNKNOWN_MS = 10_000;
/** The pauses after faults: doubled from the first to the last, each between its half and its whole. */
const FIRST_PAUSE = 500;
const LAST_PAUSE = 5_000;
/** The pauses between looks at a deployment without long polls: doubled from the first to the last. */
const FIRST_LOOK = 1_000;
const LAST_LOOK = 10_000;
/** Beyond the deadline, for an answer that was sent right at the end of the wait. */
const LATE = 500;

const doubled = (first: number, last: number, times: number): number =>
  Math.min(last, first * 2 ** Math.min(times, 10));

/**
 * Asks until the session has ended, the service refuses, or the deadline passes; faults in between are ridden out.
 * Rejects with the signal's reason when aborted.
 */
export async function waitForSession(options: WaitOptions): Promise<WaitOutcome> {
  const { clock, random, signal, deadline, turns } = options;
  const asking = new Asking(options);
  let fault: SondeError | undefined;
  let faults = 0;
  let unknownSince: number | undefined;
  let looks = 0;
  // That the route is missing is believed once a session that is there has been missed twice.
  let missed = 0;
  let mustLook = false;
  for (;;) {
    const turn = await turns.next();
    signal.throwIfAborted();
    const { session } = asking;
    const left = deadline - clock.monotonic();
    if (left <= 0) return fault ? { kind: 'fault', error: fault, session } : { kind: 'deadline', session };
    const isLook = turn === 0 || mustLook;
    // After a fault the first poll is short: who waits is told soon that the service answers again.
    const longest = faults > 0 ? 1 : Math.min(turn, Math.floor(left / 1000));
    const answer = await asking.once(isLook ? 0 : Math.max(1, longest));
    if (answer.kind === 'silence') {
      // Cut off by the deadline: what was heard last stands, unless an answer was due and did not come.
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
        else if (mustLook) pause = doubled(FIRST_LOOK, LAST_LOOK, looks++);
        break;
      case 'pending':
        break;
      case 'fault':
        now = answer.error;
        if (answer.limited) turns.rest(answer.retryAfterMs ?? 0);
        break;
      case 'no poll':
        missed += 1;
        mustLook = true;
        break;
      case 'refused': {
        unknownSince ??= clock.monotonic();
        const mayAppear = answer.error.status === 404 && (options.justStarted || session !== undefined);
        if (!mayAppear || clock.monotonic() - unknownSince >= UNKNOWN_MS) {
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
      const most = doubled(FIRST_PAUSE, LAST_PAUSE, faults++);
      pause = most / 2 + (most / 2) * random.next();
    } else {
      if (faults > 0) options.onRecovered();
      faults = 0;
    }
    const next = Math.max(clock.monotonic() + pause, asking.notBefore);
    const rest = Math.min(next, deadline) - clock.monotonic();
    if (rest > 0) await clock.sleep(rest, signal);
  }
}

/** What one question came to, read: an unusable 200 is a fault. `silence`: the deadline came first. */
type Heard =
  | Exclude<Answer, { readonly kind: 'body' }>
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly verdict: Verdict; readonly session: SessionBody }
  | { readonly kind: 'silence'; readonly overdue: SondeError | undefined };

/** Asks the questions about one session, and keeps what is known of it. */
class Asking {
  /** The last usable answer. */
  session: SessionBody | undefined;
  /** Not before then may it be asked about again: the pace, and what the service asked for. */
  notBefore = Number.NEGATIVE_INFINITY;
  private readonly options: WaitOptions;

  constructor(options: WaitOptions) {
    this.options = options;
  }

  /** One question; none is left open behind it, and none lasts beyond the deadline: a service that hangs holds nobody. */
  async once(maxWaitSeconds: number): Promise<Heard> {
    const { clock, deadline, signal, live } = this.options;
    const over = new AbortController();
    const stop = () => over.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const asked = clock.monotonic();
    const stopped = new Promise<never>((_, reject) => {
      over.signal.addEventListener('abort', () => reject(over.signal.reason), { once: true });
    });
    const silence = clock.sleep(deadline - asked + LATE, over.signal).then((): Heard => {
      // By the deadline and not by the clock: on a busy machine the timer itself is late.
      const owed = asked + maxWaitSeconds * 1000 <= deadline;
      const overdue = owed ? new NetworkError('the service did not respond before the deadline') : undefined;
      return { kind: 'silence', overdue };
    });
    const heard = [this.read(maxWaitSeconds, over.signal), silence, stopped];
    if (live && maxWaitSeconds > 0) heard.push(this.glance(over.signal));
    for (const each of heard) each.catch(() => {});
    try {
      return await Promise.race(heard);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      over.abort();
    }
  }

  private async read(maxWaitSeconds: number, signal: AbortSignal): Promise<Heard> {
    const { ask, clock, id, kind, onRunning } = this.options;
    this.notBefore = Math.max(this.notBefore, clock.monotonic() + PACE);
    const answer = await ask(id, maxWaitSeconds, signal);
    // What comes too late changes nothing any more.
    signal.throwIfAborted();
    if ('retryAfterMs' in answer)
      this.notBefore = Math.max(this.notBefore, clock.monotonic() + (answer.retryAfterMs ?? 0));
    if (answer.kind !== 'body') return answer;
    const reading = readSession(kind, id, answer.body);
    if (reading.kind === 'unusable')
      return { kind: 'fault', error: new NetworkError(reading.why, { status: 200 }) };
    this.session = reading.session;
    if (reading.kind === 'ended') return reading;
    onRunning(reading.session);
    return { kind: 'running' };
  }

  /** A look beside a poll that is held, for those who watch. Only the session's end counts; all else is the poll's to tell. */
  private async glance(signal: AbortSignal): Promise<Heard> {
    await this.options.clock.sleep(PACE, signal);
    const heard = await this.read(0, signal);
    return heard.kind === 'ended' ? heard : new Promise<never>(() => {});
  }
}
