/** What a runner is: one pure function a check type, from a check and its surroundings to what happened. */

import type { LookupAddress } from 'node:dns';
import type { Clock } from '../base/clock.ts';
import type { StopSignal } from '../base/stop.ts';
import type { Capture } from './capture/capture.ts';
import type { DenyAddress } from './reach.ts';

/**
 * A pure function that reads text of a target or applies rules of a user to it: assertions, patterns, encodings, masking. It runs
 * in the judge process, so both its input and its output must be JSON values: bytes are base64.
 */
export interface Judgement<Input, Output> {
  readonly name: string;
  readonly run: (input: Input) => Output;
}

/**
 * Runs a judgement within a budget of time and memory. Rejects with CannotRun where it went over the budget twice, and with the
 * signal's reason once aborted.
 */
export type Judge = <Input, Output>(
  judgement: Judgement<Input, Output>,
  input: Input,
  signal: StopSignal,
) => Promise<Output>;

/** What an attempt may use. Everything that reaches outside is handed in. */
export interface RunContext {
  readonly clock: Clock;
  /** Judges what the target answered. */
  readonly judge: Judge;
  /** Where the run happens: a public location's code or a private location's slug. */
  readonly location: string;
  /** Tells the resolvers to ask where the check names none, as they are now: `host` or `host:port`, the first first. */
  readonly resolvers: () => readonly string[];
  /** How long the attempt may take in all, in ms; left out: as long as the check type's longest. */
  readonly timeoutMs?: number;
  /** Values that must not be seen in what is kept of a run; `execute` takes them out of errors and details itself. */
  readonly secrets?: readonly string[];
  /** Says why an address must not be contacted, or undefined where it may be (`--deny-private-networks`). */
  readonly denyAddress?: DenyAddress;
  /** Looks a name up: `family` 4, 6, or 0 for either; left out: as the system does. */
  readonly lookup?: (host: string, family: 0 | 4 | 6) => Promise<readonly LookupAddress[]>;
  /** The proxy by which HTTP leaves for an address (`http://user:password@host:port`); undefined: none. */
  readonly proxyFor?: (target: URL) => string | undefined;
  /** Looks at the network where a check of HTTP failed for it; left out: nobody does. */
  readonly capture?: Capture;
  /** Certificates to trust besides the system's (PEM). */
  readonly ca?: readonly string[];
  /** Where the run puts files that it leaves; left out: they are kept nowhere. */
  readonly files?: RunFiles;
}

/** Takes the files of one run, part by part: none is ever whole in memory. They go with the run, unless they are moved away. */
export interface RunFiles {
  /** Begins a file, for its owner alone. Rejects with what the system says, and once the run is over. */
  create(): Promise<FileWriter>;
}

export interface FileWriter {
  write(part: Uint8Array): Promise<void>;
  /** Nothing is written after it. */
  end(): Promise<{ readonly path: string; readonly bytes: number }>;
  /** Removes it. */
  discard(): Promise<void>;
}

/** What one attempt of a check found. */
export interface RunOutcome {
  /** The target's fault: an assertion, a time-out, a refused connection. */
  readonly hasFailures: boolean;
  /** The monitor's fault: never the target's. */
  readonly hasErrors: boolean;
  readonly isDegraded: boolean;
  readonly overMaxResponseTime: boolean;
  /** True where the network, not an answer, made it fail: what `onlyOn: ["NETWORK_ERROR"]` asks about. */
  readonly isNetworkError: boolean;
  /** Milliseconds, with decimals; null where nothing was measured. */
  readonly responseTime: number | null;
  /** One message a failure or error, raw, the most telling first; empty on a good outcome. */
  readonly errors: readonly string[];
  /** What the check type adds (a DNS answer and its assertions), stored with the result as it is. */
  readonly details: Readonly<Record<string, unknown>>;
  /** What is kept beside the result: pictures, traces and transcripts. */
  readonly artifacts?: readonly Artifact[];
}

/** A file that a run leaves behind, without secrets. It lies among the files of its run until who wants it moves it away. */
export interface Artifact {
  readonly kind: 'screenshot' | 'trace' | 'transcript';
  readonly name: string;
  readonly contentType: string;
  readonly path: string;
  readonly bytes: number;
}

/**
 * Runs one attempt of a check. Resolves with what was found, also where the target could not be reached; rejects
 * with the signal's reason once `signal` is aborted, and with anything else only for what is the monitor's fault.
 */
export type Runner<Check> = (check: Check, context: RunContext, signal: StopSignal) => Promise<RunOutcome>;

/** A runner of what only so many may do at once: an attempt has its turn before its time begins. */
export interface QueuedRunner<Check> {
  /** True where runs may take long: they have places of their own (`enter` gives them), and keep no other attempt from its. */
  readonly isLong?: boolean;
  /**
   * Waits for the turn. Rejects with the signal's reason alone: what else goes wrong is told by the runner that it gives.
   * `leave` is called once the attempt is over, whatever became of it.
   */
  acquireSlot(check: Check, signal: StopSignal): Promise<RunSlot<Check>>;
}

export interface RunSlot<Check> {
  readonly run: Runner<Check>;
  release(): Promise<void>;
}

/** The check cannot be run as it stands, or not from here (a policy, no resolver): never the target's fault. */
export class CannotRun extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CannotRun';
  }
}
