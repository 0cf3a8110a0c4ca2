/** Waits for several sessions at once, and combines their outcomes into one exit code. */
import { setMaxListeners } from 'node:events';
import { createLinkedController } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { combinedExitCode, type SondeError } from '../../base/errors.ts';
import { EXIT } from '../../base/exits.ts';
import type { Random } from '../../base/random.ts';
import { keyOf } from './list-sweep.ts';
import { createPollScheduler } from './poll-scheduler.ts';
import { exitCodeOf, type SessionBody, type SessionKind } from './verdict.ts';
import { type Poll, type WaitOutcome, waitForSession } from './wait-for-session.ts';

export interface GateEvents {
  /** Called for each usable response about a running session. */
  readonly onRunning?: (id: string, session: SessionBody) => void;
  readonly onFault?: (id: string, error: SondeError) => void;
  /** Called for the first usable response about a running session after faults. */
  readonly onRecovered?: (id: string) => void;
  readonly onOutcome?: (outcome: GateOutcome) => void;
  /** Called once if many sessions are read one by one; `everyMs` is the time between two reads of a session. */
  readonly onPollInTurn?: (everyMs: number) => void;
}

export interface GateOptions extends GateEvents {
  readonly kind: SessionKind;
  readonly ids: readonly string[];
  /** Sessions by ID, as the start request returned them. */
  readonly known?: ReadonlyMap<string, SessionBody>;
  readonly poll: Poll;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** When the gate gives up: ms on the monotonic clock. */
  readonly deadline: number;
  readonly failOnDegraded: boolean;
  readonly failFast: boolean;
  readonly justStarted: boolean;
  /** Whether a person watches, so that the current state is read during long polls. */
  readonly live: boolean;
}

/** How the wait for a session ended. `left`: `--fail-fast` stopped waiting for it. */
export interface GateOutcome {
  readonly id: string;
  readonly outcome: WaitOutcome | { readonly kind: 'left'; readonly session?: SessionBody | undefined };
  /** 0 only if a good verdict was received. */
  readonly exitCode: number;
}

export interface GateResult {
  /** One per ID, in the requested order. */
  readonly outcomes: readonly GateOutcome[];
  readonly exitCode: number;
}

/** Waits for every session. Rejects with the signal's reason when aborted, after it reported the outcomes seen until then. */
export async function waitForSessions(options: GateOptions): Promise<GateResult> {
  const { ids, signal, failOnDegraded } = options;
  // Without a session the gate would pass at once.
  if (ids.length === 0) throw new Error('a gate without a session');
  signal.throwIfAborted();
  const distinct = distinctIds(ids);
  const stopped = createLinkedController(signal);
  // Each session adds a listener on purpose; this is not a leak.
  setMaxListeners(0, stopped.signal);
  const running = new Map<string, SessionBody>();
  const scheduler = createPollScheduler({
    ...options,
    ids: distinct,
    list: options.poll.list,
    signal: stopped.signal,
  });

  const waitForOne = async (id: string): Promise<GateOutcome> => {
    let outcome: GateOutcome['outcome'];
    try {
      outcome = await waitForSession({
        ...options,
        id,
        started: options.known?.get(id),
        scheduler,
        signal: stopped.signal,
        onRunning(session) {
          running.set(id, session);
          options.onRunning?.(id, session);
        },
        onFault: (error) => options.onFault?.(id, error),
        onRecovered: () => options.onRecovered?.(id),
      });
    } catch (error) {
      if (signal.aborted || !stopped.signal.aborted) throw error;
      outcome = { kind: 'left', session: running.get(id) };
    }
    scheduler.leave(id);
    const gateOutcome: GateOutcome = { id, outcome, exitCode: outcomeCode(outcome, failOnDegraded) };
    options.onOutcome?.(gateOutcome);
    if (options.failFast && outcome.kind === 'ended' && gateOutcome.exitCode !== 0) stopped.abort();
    return gateOutcome;
  };

  try {
    const byId = new Map<string, GateOutcome>();
    for (const outcome of await Promise.all(distinct.map(waitForOne))) byId.set(keyOf(outcome.id), outcome);
    const outcomes = ids.flatMap((id) => byId.get(keyOf(id)) ?? []);
    return { outcomes, exitCode: combinedExitCode(outcomes.map(({ exitCode }) => exitCode)) };
  } finally {
    stopped.abort();
    stopped.unlink();
  }
}

/** Removes repeated IDs; keeps the spelling of the first occurrence. */
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
    case 'unread':
    case 'left':
      return EXIT.noVerdict;
    default:
      return outcome satisfies never;
  }
}
