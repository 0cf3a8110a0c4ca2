/** Defines the interface of runners: one function for each check type, from a check and its context to an outcome. */

import type { LookupAddress } from 'node:dns';
import type { AbortSignalLike } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import type { Capture } from '../capture/capture.ts';
import type { DenyAddress } from './address-policy.ts';

/**
 * A pure function that reads a target's text or applies a user's rules to it: assertions, patterns, encodings, masking.
 * It runs in a separate process, so its input and output must be JSON values; bytes are base64.
 */
export interface Evaluation<Input, Output> {
  readonly name: string;
  readonly run: (input: Input) => Output;
  /** It may take seconds, so it never shares a process with others, and runs only once. */
  readonly isCostly?: true;
}

/** Whose evaluation it is. Those of one account wait for each other, when they are slow, and not those of others. */
export interface EvaluationOrigin {
  readonly accountId: string;
  /** The check, or the session of a run without a saved check. */
  readonly subjectId: string;
}

/**
 * Runs an evaluation within limits of time and memory. Rejects with CannotRun if it exceeded the limits twice, or once if
 * it is costly, and with the signal's reason if aborted.
 */
export type Evaluate = <Input, Output>(
  evaluation: Evaluation<Input, Output>,
  input: Input,
  signal: AbortSignalLike,
  origin?: EvaluationOrigin,
) => Promise<Output>;

export interface OutageFinder {
  /**
   * Returns, as a sentence without a full stop, that the network of this machine was down at any time since an instant
   * (ms since the epoch); undefined if a canary answers. Probes the canaries after the call, together with other callers.
   */
  findOutage(since: number): Promise<string | undefined>;
}

/** A client certificate with its private key, both in PEM. */
export interface ClientCertificate {
  /** `api.example.com`, or `*.example.com` for all names below it; in lower case. */
  readonly host: string;
  readonly cert: string;
  readonly key: string;
  /** Certificates, in PEM, that may also sign the certificate of the host. */
  readonly ca?: string | null;
}

/** Dependencies of an attempt. All external access is injected. */
export interface RunContext {
  readonly clock: Clock;
  /** Evaluates the target's answer. */
  readonly evaluate: Evaluate;
  /** Location of the run: a public location's code or a private location's slug. */
  readonly location: string;
  /** Returns the current default resolvers in order: `host` or `host:port`. */
  readonly resolvers: () => readonly string[];
  /** Time limit of the whole attempt, in ms; undefined: the check type's maximum. */
  readonly timeoutMs?: number;
  /** Values that must not appear in stored data of a run. `execute` removes them from errors and details. */
  readonly secrets?: readonly string[];
  /** Returns why an address must not be contacted; undefined if it may be. */
  readonly denyAddress?: DenyAddress | undefined;
  /** Whether scripts may use the network of the machine all the same, because only listeners of the service are denied. */
  readonly allowsOpenNetwork?: boolean | undefined;
  /** Resolves a name. `family`: 4, 6, or 0 for either; undefined: use the system's resolver. */
  readonly lookup?: ((host: string, family: 0 | 4 | 6) => Promise<readonly LookupAddress[]>) | undefined;
  /** Returns the HTTP proxy for a URL (`http://user:password@host:port`); undefined: no proxy. */
  readonly proxyFor?: ((target: URL) => string | undefined) | undefined;
  /** Examines the network after a failed HTTP check; undefined: no examination. */
  readonly capture?: Capture | undefined;
  /** Tells outages of this machine's network from failures of targets; undefined: no canaries are configured. */
  readonly uplink?: OutageFinder | undefined;
  /** Certificates to trust in addition to the system's (PEM). */
  readonly ca?: readonly string[];
  /** Reads the client certificates of the account, newest first; undefined: there are none. */
  readonly clientCertificates?: (() => Promise<readonly ClientCertificate[]>) | undefined;
  /** The header that continues the trace of the run (W3C Trace Context); undefined: the check does not send it. */
  readonly traceparent?: string | undefined;
  /** Stores the files of the run; undefined: files are not stored. */
  readonly files?: RunFiles | undefined;
}

/** A client certificate with its private key, both in PEM. */
export interface ClientCertificate {
  /** `api.example.com`, or `*.example.com` for all names below it; in lower case. */
  readonly host: string;
  readonly cert: string;
  readonly key: string;
  /** Certificates, in PEM, that may also sign the certificate of the host. */
  readonly ca?: string | null;
}

/**
 * Stores the files of one run part by part, so that none is fully in memory. They are deleted with the run unless they
 * are moved away.
 */
export interface RunFiles {
  /** Creates a file that only its owner can read. Rejects with file system errors, and after the run has ended. */
  create(): Promise<FileWriter>;
}

export interface FileWriter {
  write(part: Uint8Array): Promise<void>;
  /** Finishes the file. No write may follow. */
  end(): Promise<{ readonly path: string; readonly bytes: number }>;
  /** Deletes the file. */
  discard(): Promise<void>;
}

/** The outcome of one attempt of a check. */
export interface RunOutcome {
  /** The target failed: an assertion, a timeout, a refused connection. */
  readonly hasFailures: boolean;
  /** A monitor error, never the target's failure. */
  readonly hasErrors: boolean;
  readonly isDegraded: boolean;
  readonly overMaxResponseTime: boolean;
  /** True if the network caused the failure instead of an answer; see `onlyOn: ["NETWORK_ERROR"]`. */
  readonly isNetworkError: boolean;
  /** True if there was no answer for another reason: a timeout, or a network error that the check expects. */
  readonly isUnanswered?: boolean;
  /** Milliseconds with decimals; null if nothing was measured. */
  readonly responseTime: number | null;
  /** One raw message for each failure or error, the most relevant first; empty if there are none. */
  readonly errors: readonly string[];
  /** Details of the check type (such as a DNS answer and its assertions), stored unchanged with the result. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Files stored beside the result: screenshots, traces and transcripts. */
  readonly artifacts?: readonly Artifact[];
}

/** A file of a run, without secrets. It stays among the run's files until it is moved away. */
export interface Artifact {
  readonly kind: 'screenshot' | 'trace' | 'transcript';
  readonly name: string;
  readonly contentType: string;
  readonly path: string;
  readonly bytes: number;
}

/**
 * Runs one attempt of a check. Resolves with the outcome, even if the target is unreachable; rejects with the signal's
 * reason if aborted, and with other errors only for monitor errors.
 */
export type Runner<Check> = (
  check: Check,
  context: RunContext,
  signal: AbortSignalLike,
) => Promise<RunOutcome>;

/** A runner with limited concurrency: an attempt acquires a slot before its time starts. */
export interface QueuedRunner<Check> {
  /** True if runs may take long. They have separate slots (`acquireSlot`) and never block other attempts. */
  readonly isLong?: boolean;
  /**
   * Waits for a slot. Rejects only with the signal's reason; the slot's runner reports other errors. Call `release`
   * when the attempt has ended, whatever its outcome.
   */
  acquireSlot(check: Check, signal: AbortSignalLike): Promise<RunSlot<Check>>;
}

export interface RunSlot<Check> {
  readonly run: Runner<Check>;
  release(): Promise<void>;
}

/** The check cannot run, or not from here (a policy, no resolver). It is never the target's fault. */
export class CannotRun extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CannotRun';
  }
}

/** The check itself is invalid, for example a URL that nothing can request. It is a failure of the check, which alerts. */
export class InvalidCheck extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidCheck';
  }
}
