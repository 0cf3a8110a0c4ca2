/**
 * Schedules how each session is read. Few sessions hold a long poll each. Of many, the list of the deployment tells which
 * ended: it is read again when one of a few long polls ends, now and then, and at the deadline. A session that the list does
 * not prove is read on its own, at the pace of the deployment.
 */
import { createLinkedController, onAbort } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { createListSweep, keyOf, type ReadList, type Sweep } from './list-sweep.ts';
import { createPace, type Pace } from './pace.ts';
import { readSession, type SessionKind } from './verdict.ts';

/** Up to this many sessions each hold a long poll. */
const MAX_LONG_POLLS = 50;
/** Where a list is read, up to this many of the last sessions each hold a long poll. */
const LAST_LONG_POLLS = 10;
/**
 * Number of random sessions that hold a long poll beside the list. When the first of them ends, about a third of all has ended,
 * in whatever order they end, so that about a dozen lists are enough for a thousand sessions.
 */
const SENTINELS = 2;
/** Seconds that a long poll waits at the service. */
const POLL_SECONDS = 30;
/** Minimum time from the start of a list to the next, in ms. */
const SWEEP_GAP_MS = 1_000;
/** The time between two lists while no sentinel ends, in ms. It doubles after a list with few ends. */
const SWEEP_PAUSE = { minMs: 2_000, maxMs: 60_000 };
/** Number of ended sessions on each page that make it worth reading the list soon again. */
const ENDS_PER_PAGE = 10;
/** Grace after the deadline for a response sent at the very end of the wait, in ms. */
export const GRACE_MS = 500;

/** A session that was in the list. It proves no more than any other response. */
export interface ListedTurn {
  readonly kind: 'entry';
  readonly body: unknown;
  /** When the list was requested: ms on the monotonic clock. */
  readonly at: number;
}

/** How a session is read next. */
export type Turn =
  /** On its own, with the seconds to wait at the service (0: read the current state). */
  | { readonly kind: 'poll'; readonly seconds: number }
  | ListedTurn
  /** Not any more: the deadline passed. */
  | { readonly kind: 'none' };

export interface PollScheduler {
  /** Resolves with the next turn of a session; `alone`: not with an entry of the list. Rejects with the signal's reason. */
  next(id: string, alone: boolean): Promise<Turn>;
  /** Returns the latest entry of a session, once. */
  takeEntry(id: string): ListedTurn | undefined;
  /** Removes a session that has ended. */
  leave(id: string): void;
  readonly pace: Pace;
}

export interface PollSchedulerOptions {
  readonly kind: SessionKind;
  /** The distinct IDs of the sessions. */
  readonly ids: readonly string[];
  readonly list: ReadList | undefined;
  /** When the last reads begin: ms on the monotonic clock. */
  readonly deadline: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
  /** Called once if many sessions are read one by one; `everyMs` is the time between two reads of a session. */
  readonly onPollInTurn?: ((everyMs: number) => void) | undefined;
}

interface ParkedSession {
  readonly resolve: (turn: Turn) => void;
  readonly reject: (reason: unknown) => void;
  /** Whether it waits for a single read, besides the list. */
  isDue: boolean;
}

const LONG_POLL: Turn = { kind: 'poll', seconds: POLL_SECONDS };
const LOOK: Turn = { kind: 'poll', seconds: 0 };

export function createPollScheduler(options: PollSchedulerOptions): PollScheduler {
  const { kind, ids, list, deadline, clock, random, signal, onPollInTurn } = options;
  const pace = createPace(clock);
  const unfinished = new Set(ids.map(keyOf));
  const parked = new Map<string, ParkedSession>();
  const sentinels = new Set<string>();
  /** The latest entries that no session has taken yet, because it waits for the response to a single read. */
  const entries = new Map<string, ListedTurn>();
  // Polls of this process cost nothing.
  const maxLongPolls = kind.isLocal ? Number.POSITIVE_INFINITY : MAX_LONG_POLLS;
  let isListing = false;
  let isSentinelOver = false;
  let wakeSweeper = () => {};
  let isDraining = false;

  const isFew = () => unfinished.size <= (isListing ? LAST_LONG_POLLS : maxLongPolls);
  const resume = (key: string, turn: Turn): void => {
    parked.get(key)?.resolve(turn);
    parked.delete(key);
  };
  const resumeFew = (): void => {
    if (isFew()) for (const key of parked.keys()) resume(key, LONG_POLL);
  };
  const rejectAll = (reason: unknown): void => {
    for (const { reject } of parked.values()) reject(reason);
    parked.clear();
  };
  onAbort(signal, () => rejectAll(signal.reason));

  const takeEntry = (id: string): ListedTurn | undefined => {
    const entry = entries.get(keyOf(id));
    entries.delete(keyOf(id));
    return entry;
  };

  /** Lets due sessions read on their own, at the pace of the deployment; at the deadline all that it still allows. */
  const drain = async (): Promise<void> => {
    if (isDraining) return;
    isDraining = true;
    for (;;) {
      const [key] = [...parked].find(([, { isDue }]) => isDue) ?? [];
      if (key === undefined) break;
      const now = clock.monotonic();
      const at = Math.min(pace.nextAt(), deadline);
      if (now < at) await clock.sleep(at - now, signal);
      else if (now >= deadline + GRACE_MS || pace.room() < 1) resume(key, { kind: 'none' });
      else {
        pace.spend();
        resume(key, LOOK);
      }
    }
    isDraining = false;
  };

  /** Lets random running sessions hold a long poll. */
  const appointSentinels = (found: Sweep['entries']): void => {
    const running = [...found].flatMap(([key, body]) =>
      readSession(kind, key, body).kind === 'running' ? [key] : [],
    );
    while (sentinels.size < SENTINELS && running.length > 0)
      for (const key of running.splice(Math.floor(random.next() * running.length), 1)) sentinels.add(key);
  };

  /** Gives the sessions in the list their entries. The others are due, unless the next list begins at once. */
  const deliver = ({ entries: found }: Sweep, at: number, isCut: boolean): void => {
    for (const [key, body] of found) entries.set(key, { kind: 'entry', body, at });
    for (const [key, session] of parked) {
      const entry = takeEntry(key);
      if (entry) resume(key, entry);
      else session.isDue ||= !isCut;
    }
    resumeFew();
    drain().catch(rejectAll);
  };

  /** Rests until the next list: after the pause, or soon after a sentinel has ended; at the latest at the deadline. */
  const rest = async (beganAt: number, pauseMs: number): Promise<void> => {
    const until = (at: number) => Math.min(at, deadline) - clock.monotonic();
    const woken = createLinkedController(signal);
    wakeSweeper = () => woken.abort();
    if (!isSentinelOver) await clock.sleep(until(beganAt + pauseMs), woken.signal).catch(() => {});
    woken.unlink();
    await clock.sleep(until(Math.max(beganAt + SWEEP_GAP_MS, pace.pausedUntil())), signal);
  };

  /** Reads the list again and again until few sessions are left, it turns out to be useless, or the deadline passes. */
  const sweepAll = async (read: ReadList): Promise<void> => {
    const sweep = createListSweep(read, kind, { pace, clock });
    let pauseMs = SWEEP_PAUSE.minMs;
    while (isListing && !isFew()) {
      const beganAt = clock.monotonic();
      const isLast = beganAt >= deadline;
      isSentinelOver = false;
      const over = createLinkedController(signal);
      const cancel = clock.timer(deadline + (isLast ? GRACE_MS : 0) - beganAt, () => over.abort());
      const found = await sweep(new Set(unfinished), over.signal);
      cancel();
      over.unlink();
      signal.throwIfAborted();
      isListing = found.isUseful && !isLast;
      if (!found.isUseful && !isFew()) onPollInTurn?.(unfinished.size * pace.gapMs());
      appointSentinels(found.entries);
      deliver(found, beganAt, isListing && clock.monotonic() >= deadline);
      pauseMs = isBusy(found)
        ? Math.max(SWEEP_PAUSE.minMs, pauseMs / 2)
        : Math.min(SWEEP_PAUSE.maxMs, pauseMs * 2);
      if (isListing) await rest(beganAt, pauseMs);
    }
  };
  const isBusy = ({ entries: found, pages }: Sweep): boolean =>
    [...found].filter(([key, body]) => readSession(kind, key, body).kind === 'ended').length >=
    ENDS_PER_PAGE * pages;

  if (list && !isFew()) {
    isListing = true;
    sweepAll(list).catch(rejectAll);
  } else if (!isFew()) onPollInTurn?.(unfinished.size * pace.gapMs());

  return {
    pace,
    takeEntry,
    next(id, alone) {
      const key = keyOf(id);
      const entry = alone ? undefined : takeEntry(id);
      if (entry) return Promise.resolve(entry);
      if (isFew() || sentinels.has(key)) return Promise.resolve(LONG_POLL);
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        parked.set(key, { resolve, reject, isDue: alone || !isListing });
        drain().catch(rejectAll);
        return undefined;
      });
    },
    leave(id) {
      const key = keyOf(id);
      unfinished.delete(key);
      entries.delete(key);
      if (sentinels.delete(key)) {
        isSentinelOver = true;
        wakeSweeper();
      }
      resumeFew();
    },
  };
}
