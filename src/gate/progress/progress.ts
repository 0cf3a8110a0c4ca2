/** What is told while the gate waits: in a terminal a line a session that moves, elsewhere a line on each change. */
import type { Clock } from '../../base/clock.ts';
import type { SondeError } from '../../base/errors.ts';
import { duration, type Terminal } from '../../terminal/index.ts';
import { inTurnLine, outcomeLine, runningLine, waitingLine } from '../format/lines.ts';
import type { Watched } from '../format/watched.ts';
import { firstLine } from '../text.ts';
import type { GateOutcome } from '../wait/gate.ts';
import type { SessionBody } from '../wait/verdict.ts';
import { survey } from './survey.ts';
import { createView } from './view.ts';

/** Told of everything that happens; the same sentence is not said twice in a row. */
export interface Progress {
  running(id: string, session: SessionBody): void;
  ended(outcome: GateOutcome): void;
  fault(id: string, error: SondeError): void;
  /** The service answers about the session again. */
  recovered(id: string): void;
  /** Many sessions are asked in turn: ms between two questions about the same one. */
  inTurn(everyMs: number): void;
  /** Clears what moves. May be called more than once. */
  stop(): Promise<void>;
}

export interface ProgressOptions {
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** All sessions, in the order given; kept up to date by whoever waits. */
  readonly watched: ReadonlyMap<string, Watched>;
}

/** A CI job that says nothing is killed: a line at least so often, in ms. */
const HEARTBEAT_MS = 60_000;
/** Faults that are over sooner are not worth a second line each: there may be many, in ms. */
const LASTING_MS = 2_000;
/** The sessions that such a line tells of. */
const MOST_IN_A_LINE = 5;

/** Shows it as the terminal allows. */
export function showProgress({ terminal, clock, watched }: ProgressOptions): Progress {
  const began = clock.monotonic();
  const elapsed = () => clock.monotonic() - began;
  let last = '';
  const say = (line: string) => {
    if (line === last) return;
    last = line;
    void terminal.note(line);
  };
  const faulty = new Set<string>();
  let faultySince = 0;
  const shared = {
    fault(id: string, error: SondeError) {
      if (faulty.size === 0) faultySince = elapsed();
      faulty.add(id);
      say(`${firstLine(error.message) ?? error.kind}; still waiting`);
    },
    recovered(id: string) {
      if (!faulty.delete(id) || faulty.size > 0) return;
      const lasted = elapsed() - faultySince;
      if (lasted >= LASTING_MS) say(`The service responds again after ${duration(lasted)}.`);
    },
    inTurn: (everyMs: number) => say(inTurnLine(everyMs)),
  };
  if (terminal.canDraw) {
    const view = createView();
    const live = terminal.live((canvas) => view(watched, elapsed(), canvas));
    return { ...shared, running() {}, ended() {}, stop: live.stop };
  }

  const over = new AbortController();
  const states = new Map<string, string>();
  const beat = async () => {
    for (;;) {
      await clock.sleep(HEARTBEAT_MS, over.signal);
      const { told, others, left } = survey(watched, MOST_IN_A_LINE);
      const each = told.map(([id, { session, outcome }]) =>
        outcome ? outcomeLine(outcome) : runningLine(id, session),
      );
      if (left > 0) say(waitingLine(elapsed(), watched.size, left, [...each, ...others]));
    }
  };
  beat().catch(() => {});
  return {
    ...shared,
    running(id, session) {
      if (states.get(id) === session.status) return;
      states.set(id, session.status);
      say(runningLine(id, session, elapsed()));
    },
    ended(outcome) {
      // Of the others nothing has become: that they are no longer waited for is told at the end.
      if (outcome.outcome.kind === 'ended' || outcome.outcome.kind === 'refused') say(outcomeLine(outcome));
    },
    async stop() {
      over.abort();
    },
  };
}
