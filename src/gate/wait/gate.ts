/** The gate: waits for all sessions together and says how each ended and with which code the process must exit. */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../base/clock.ts';
import { combinedExitCode, type SondeError } from '../../base/errors.ts';
import { EXIT } from '../../base/exits.ts';
import type { Random } from '../../base/random.ts';
import { takeTurns } from './poll-scheduler.ts';
import { exitCodeOf, type SessionBody, type SessionKind } from './verdict.ts';
import { type Ask, type WaitOutcome, waitForSession } from './wait.ts';

export interface GateEvents {
  /** A usable answer about a session that still runs. */
  readonly onRunning?: (id: string, session: SessionBody) => void;
  readonly onFault?: (id: string, error: SondeError) => void;
  /** The first answer about a session that still runs, after faults. */
  readonly onRecovered?: (id: string) => void;
  readonly onOutcome?: (outcome: GateOutcome) => void;
  /** Said once, before waiting, where many sessions are asked in turn: ms between two questions about the same one. */
  readonly onInTurn?: (everyMs: number) => void;
}

export interface GateOptions extends GateEvents {
  readonly kind: SessionKind;
  readonly ids: readonly string[];
  readonly ask: Ask;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** On the monotonic clock, in ms: when the gate gives up. */
  readonly deadline: number;
  readonly failOnDegraded: boolean;
  readonly failFast: boolean;
  readonly justStarted: boolean;
  /** Whether somebody watches, so that sessions are looked at while they run. */
  readonly live: boolean;
}

/** How one session ended. `left` is one that `--fail-fast` no longer waited for. */
export interface GateOutcome {
  readonly id: string;
  readonly outcome: WaitOutcome | { readonly kind: 'left'; readonly session?: SessionBody | undefined };
  /** 0 only for a good verdict that was seen. */
  readonly exitCode: number;
}

export interface GateResult {
  /** One for each id, in the order given. */
  readonly outcomes: readonly GateOutcome[];
  readonly exitCode: number;
}

/** Waits for every session. Rejects with the signal's reason when aborted; the outcomes seen until then were told. */
export async function runGate(options: GateOptions): Promise<GateResult> {
  const { clock, ids, signal, deadline, failOnDegraded } = options;
  // Nothing to wait for would be good at once.
  if (ids.length === 0) throw new Error('a gate without a session');
  signal.throwIfAborted();
  const distinct = distinctIds(ids);
  const enough = new AbortController();
  // Every session listens to it; that is meant, not a leak.
  setMaxListeners(0, enough.signal);
  const running = new Map<string, SessionBody>();
  const stop = () => enough.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const turns = takeTurns({ sessions: distinct.length, deadline, clock, signal: enough.signal });
  if (turns.roundMs !== undefined) options.onInTurn?.(turns.roundMs);

  const one = async (id: string): Promise<GateOutcome> => {
    let outcome: GateOutcome['outcome'];
    try {
      outcome = await waitForSession({
        ...options,
        ...{ id, turns, deadline, signal: enough.signal },
        onRunning(session) {
          running.set(id, session);
          options.onRunning?.(id, session);
        },
        onFault: (error) => options.onFault?.(id, error),
        onRecovered: () => options.onRecovered?.(id),
      });
    } catch (error) {
      if (signal.aborted || !enough.signal.aborted) throw error;
      outcome = { kind: 'left', session: running.get(id) };
    }
    turns.leave();
    const told: GateOutcome = { id, outcome, exitCode: outcomeCode(outcome, failOnDegraded) };
    options.onOutcome?.(told);
    if (options.failFast && outcome.kind === 'ended' && told.exitCode !== 0) enough.abort();
    return told;
  };

  try {
    const told = new Map<string, GateOutcome>();
    for (const outcome of await Promise.all(distinct.map(one))) told.set(keyOf(outcome.id), outcome);
    const outcomes = ids.flatMap((id) => told.get(keyOf(id)) ?? []);
    return { outcomes, exitCode: combinedExitCode(outcomes.map(({ exitCode }) => exitCode)) };
  } finally {
    enough.abort();
    signal.removeEventListener('abort', stop);
  }
}

/** UUIDs are the same in upper and lower case. */
const keyOf = (id: string): string => id.toLowerCase();
/** Each id once, as it was first written. */
export function distinctIds(ids: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return ids.filter((id) => !seen.has(keyOf(id)) && seen.add(keyOf(id)));
}

function outcomeCode(outcome: GateOutcome['outcome'], failOnDegraded: boolean): number {
  switch (outcome.kind) {
    case 'ended':
      return exitCodeOf(outcome.verdict, failOnDegraded);
    case 'refused':
      return outcome.error.exitCode;
    case 'fault':
      return EXIT.unreachable;
    case 'deadline':
    case 'left':
      return EXIT.noVerdict;
    default:
      return outcome satisfies never;
  }
}
