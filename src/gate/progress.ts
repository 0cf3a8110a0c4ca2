/** What is told while the gate waits: in a terminal a line a session that moves, elsewhere a line on each change. */
import type { Clock } from '../base/clock.ts';
import type { SondeError } from '../base/errors.ts';
import type { Terminal } from '../terminal/index.ts';
import type { GateOutcome } from './gate.ts';
import type { SessionBody } from './verdict.ts';
import { inTurnLine, outcomeLine, runningLine } from './words.ts';

/** What is known of one session while the gate waits. */
export interface Watched {
  /** The last usable answer about it. */
  readonly session: SessionBody | undefined;
  /** How it ended, once it has. */
  readonly outcome: GateOutcome | undefined;
}

/** Told of everything that happens; the same sentence is not said twice in a row. */
export interface Progress {
  running(id: string, session: SessionBody): void;
  ended(outcome: GateOutcome): void;
  fault(error: SondeError): void;
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
/** How often the elapsed times of a live view move, in ms. */
const TICK_MS = 1_000;

/** `live`: a person watches. */
export function showProgress({ terminal, clock, watched }: ProgressOptions, live: boolean): Progress {
  const began = clock.monotonic();
  const elapsed = () => clock.monotonic() - began;
  const most = 10;
  const view = () => {
    const running = [...watched].filter(([, { outcome }]) => outcome === undefined);
    const lines = running.slice(0, most).map(([id, { session }]) => runningLine(id, session, elapsed()));
    const rest = running.length - lines.length;
    return [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])];
  };
  const spinner = live ? terminal.spinner(view().join('\n')) : undefined;
  const over = new AbortController();
  const states = new Map<string, string>();
  let last = '';
  const said = (line: string) => {
    if (line === last) return;
    last = line;
    void terminal.note(line);
  };
  const changed = (line: string | undefined) => {
    if (spinner) spinner.update(view().join('\n'));
    else if (line) said(line);
  };
  const beat = async () => {
    for (;;) {
      await clock.sleep(live ? TICK_MS : HEARTBEAT_MS, over.signal);
      const left = [...watched.values()].filter(({ outcome }) => outcome === undefined).length;
      if (spinner) spinner.update(view().join('\n'));
      else if (left > 0) said(`Waiting for ${left} of ${watched.size}, ${view().join('; ')}`);
    }
  };
  beat().catch(() => {});
  return {
    running(id, session) {
      const before = states.get(id);
      states.set(id, session.status);
      changed(before === session.status ? undefined : runningLine(id, session, elapsed()));
    },
    ended: (outcome) => changed(outcomeLine(outcome)),
    fault: (error) => said(`${error.message}; still waiting`),
    inTurn: (everyMs) => said(inTurnLine(everyMs)),
    async stop() {
      over.abort();
      await spinner?.stop();
    },
  };
}
