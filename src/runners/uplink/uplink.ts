/** Detects outages of this machine's own network: none of its canaries answers. */
import type { Clock } from '../../base/clock.ts';
import type { OutageFinder } from '../core/runner.ts';
import type { Canary } from './canary.ts';

/** Instants in ms since the epoch. */
export interface UplinkOutage {
  readonly from: number;
  readonly to: number;
}

export interface Uplink extends OutageFinder {
  isUp(): boolean;
  /** Returns the outages that ended after an instant (ms since the epoch), the oldest first, as far as they are remembered. */
  outagesSince(instant: number): readonly UplinkOutage[];
  stop(): void;
}

export interface UplinkOptions {
  readonly canaries: readonly Canary[];
  readonly probe: (canary: Canary, signal: AbortSignal) => Promise<boolean>;
  readonly clock: Clock;
  /** Called at the start and at the end of each outage. `message` is a sentence without a full stop. */
  readonly onChange: (isUp: boolean, message: string) => void;
}

/** Least time between two rounds of probes, in ms, however many attempts fail. */
const ROUND_INTERVAL_MS = 1000;
/** Time between rounds during an outage, in ms. */
const OUTAGE_INTERVAL_MS = 5000;
/** Number of ended outages that are remembered. */
const MAX_REMEMBERED = 1000;

export function createUplink({ canaries, probe, clock, onChange }: UplinkOptions): Uplink {
  const stopping = new AbortController();
  const names = canaries.map(({ name }) => name).join(', ');
  /** The start of the current outage. */
  let downSince: number | undefined;
  const ended: UplinkOutage[] = [];
  let lastDownAt = Number.NEGATIVE_INFINITY;
  let lastStartAt = Number.NEGATIVE_INFINITY;
  let runningRound: Promise<unknown> = Promise.resolve();
  /** The round that has not started yet: it serves everyone who asks before its start. */
  let nextRound: Promise<boolean> | undefined;
  let cancelTimer = () => {};

  const isUp = () => downSince === undefined;

  async function runRound(): Promise<boolean> {
    const rest = new AbortController();
    const signal = AbortSignal.any([stopping.signal, rest.signal]);
    const answers = canaries.map(async (canary) => {
      if (!(await probe(canary, signal))) throw new Error('no answer');
    });
    const isAnswered = await Promise.any(answers).then(
      () => true,
      () => false,
    );
    rest.abort();
    // A stop aborts the probes, which says nothing about the network.
    if (!stopping.signal.aborted) record(isAnswered);
    return isAnswered || stopping.signal.aborted;
  }

  function record(isAnswered: boolean): void {
    const now = clock.now();
    if (isAnswered) {
      if (downSince === undefined) return;
      ended.push({ from: downSince, to: now });
      if (ended.length > MAX_REMEMBERED) ended.shift();
      downSince = undefined;
      onChange(true, `the network of this machine works again: a canary answers (${names})`);
      return;
    }
    lastDownAt = now;
    if (downSince === undefined) {
      downSince = now;
      onChange(false, describeOutage());
    }
    cancelTimer();
    cancelTimer = clock.timer(OUTAGE_INTERVAL_MS, () => void check());
  }

  const describeOutage = () => `the network of this machine is down: no canary answers (${names})`;

  function check(): Promise<boolean> {
    nextRound ??= startAfter(runningRound);
    return nextRound;
  }

  async function startAfter(before: Promise<unknown>): Promise<boolean> {
    await before;
    const wait = lastStartAt + ROUND_INTERVAL_MS - clock.monotonic();
    if (wait > 0) await clock.sleep(wait, stopping.signal).catch(() => {});
    lastStartAt = clock.monotonic();
    const round = runRound();
    runningRound = round;
    nextRound = undefined;
    return round;
  }

  return {
    isUp,
    outagesSince: (instant) => ended.filter(({ to }) => to > instant),
    async findOutage(since) {
      // After the clock was set back, the last outage seems to lie ahead, and says nothing about a later run.
      const wasDown = () => lastDownAt >= since && lastDownAt <= clock.now();
      if (wasDown() || !(await check()) || wasDown()) return describeOutage();
      return undefined;
    },
    stop() {
      stopping.abort();
      cancelTimer();
    },
  };
}
