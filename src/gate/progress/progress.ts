/** Shows progress while the gate waits: live lines in a terminal, one line per change elsewhere. */
import type { Clock } from '../../base/clock.ts';
import type { SondeError } from '../../base/errors.ts';
import { formatDuration } from '../../base/format-duration.ts';
import type { Terminal } from '../../terminal/index.ts';
import { outcomeLine, pollsInTurnLine, runningLine, waitingLine } from '../format/lines.ts';
import type { SessionState } from '../format/session.ts';
import type { SessionBody } from '../wait/verdict.ts';
import type { GateOutcome } from '../wait/wait-for-sessions.ts';
import { firstLine } from '../words/text.ts';
import { createView, selectSessions } from './view.ts';

/** Receives the events of a gate. Never prints the same line twice in a row. */
export interface Progress {
  running(id: string, session: SessionBody): void;
  ended(outcome: GateOutcome): void;
  fault(id: string, error: SondeError): void;
  /** The service responds again for this session. */
  recovered(id: string): void;
  /** Sessions are polled in turn; `everyMs` is the time between two polls of a session. */
  pollsInTurn(everyMs: number): void;
  /** Clears the live lines. Can be called more than once. */
  stop(): Promise<void>;
}

export interface ProgressOptions {
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** All sessions, in the requested order; the gate updates it. */
  readonly watched: ReadonlyMap<string, SessionState>;
}

/** Interval of a status line, in ms: CI systems kill silent jobs. */
const HEARTBEAT_MS = 60_000;
/** Shorter faults do not get a line about the recovery, in ms. */
const LASTING_MS = 2_000;
/** Maximum number of sessions in a status line. */
const MAX_IN_LINE = 5;

/** Starts showing progress in the form that the terminal supports. */
export function showProgress({ terminal, clock, watched }: ProgressOptions): Progress {
  const began = clock.monotonic();
  const elapsed = () => clock.monotonic() - began;
  let last = '';
  const note = (line: string) => {
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
      note(`${firstLine(error.message) ?? error.kind}; still waiting`);
    },
    recovered(id: string) {
      if (!faulty.delete(id) || faulty.size > 0) return;
      const lasted = elapsed() - faultySince;
      if (lasted >= LASTING_MS) note(`The service responds again after ${formatDuration(lasted)}.`);
    },
    pollsInTurn: (everyMs: number) => note(pollsInTurnLine(everyMs)),
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
      const { shown, others, left } = selectSessions(watched, MAX_IN_LINE);
      const each = shown.map(([id, { session, outcome }]) =>
        outcome ? outcomeLine(outcome) : runningLine(id, session),
      );
      if (left > 0) note(waitingLine(elapsed(), watched.size, left, [...each, ...others]));
    }
  };
  beat().catch(() => {});
  return {
    ...shared,
    running(id, session) {
      if (states.get(id) === session.status) return;
      states.set(id, session.status);
      note(runningLine(id, session, elapsed()));
    },
    ended(outcome) {
      // The summary lists sessions without a verdict.
      if (outcome.outcome.kind === 'ended' || outcome.outcome.kind === 'refused') note(outcomeLine(outcome));
    },
    async stop() {
      over.abort();
    },
  };
}
