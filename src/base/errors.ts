/** The errors sonde knows by name. Each carries its exit code; `src/cli/program/report-error.ts` is the one place that prints them. */
import { EXIT } from './exits.ts';

/** One thing that is wrong, with the place it stands at. */
export interface Problem {
  /** Where: a flag (`--frequency`), a file's line (`check.yaml:3`), or a field's path (`request.port`). */
  readonly place: string;
  /** The rule that is broken, as a sentence without a full stop. */
  readonly message: string;
  /** What would be accepted. */
  readonly allowed?: readonly string[];
  /** The accepted value nearest to what was given. */
  readonly nearest?: string;
  /** Where in a text that was given, counted from 1, in characters. */
  readonly line?: number;
  readonly column?: number;
  /** That place as a person sees it: the line, and a mark under it. */
  readonly excerpt?: string;
}

export interface ErrorContext {
  readonly hint?: string | undefined;
  readonly details?: readonly Problem[] | undefined;
  readonly cause?: unknown;
}

/** What every error of ours has. `kind` is what `--json` prints; `exitCode` is one of EXIT. */
export abstract class SondeError extends Error {
  abstract readonly kind: string;
  abstract readonly exitCode: number;
  readonly hint: string | undefined;
  readonly details: readonly Problem[];

  constructor(message: string, context: ErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.name = new.target.name;
    this.hint = context.hint;
    this.details = context.details ?? [];
  }
}

/** The command line or a file cannot be used as it stands. Nothing was sent. Exit 2. */
export class UsageError extends SondeError {
  readonly kind = 'usage';
  readonly exitCode = EXIT.usage;
}

/** No key, or one that must not be used here. Nothing was sent. Exit 4. */
export class CredentialsError extends SondeError {
  readonly kind = 'credentials';
  readonly exitCode = EXIT.credentials;
}

/** What is known of an answer that refused a request. */
export interface Refusal {
  readonly status: number;
  /** `METHOD /path` as in the specification's table. */
  readonly endpoint: string;
  readonly requestId?: string | undefined;
  /** What stands beside the status: `Not Found`; empty where nobody said. */
  readonly statusText?: string | undefined;
  /** Whether the answer is the API's own, so that its words are to be trusted: what it says is then all there is to know. */
  readonly fromApi?: boolean | undefined;
}

/** The service answered with an error status. Exit 4 (401, 403), 5 (404), 6 (429, 5xx, and 408 outside the gate), else 3. */
export class ApiError extends SondeError {
  readonly kind = 'api';
  readonly status: number;
  readonly endpoint: string;
  readonly requestId: string | undefined;
  readonly statusText: string | undefined;
  /** Whether the body is JSON with a reason in it. A 404 without may be anything's: it says nothing about a resource. */
  readonly fromApi: boolean;

  constructor(message: string, refusal: Refusal, context: ErrorContext = {}) {
    super(message, context);
    this.status = refusal.status;
    this.endpoint = refusal.endpoint;
    this.requestId = refusal.requestId;
    this.statusText = refusal.statusText;
    this.fromApi = refusal.fromApi ?? true;
  }

  get exitCode(): number {
    if (this.status === 401 || this.status === 403) return EXIT.credentials;
    if (this.status === 404) return EXIT.notFound;
    if (this.status === 408 || this.status === 429 || this.status >= 500) return EXIT.unreachable;
    return EXIT.refused;
  }
}

/** Nothing has the name or the id that was given. Exit 5. */
export class NotFoundError extends SondeError {
  readonly kind = 'not-found';
  readonly exitCode = EXIT.notFound;
}

/** The service could not be reached, or what answered is not the API (HTML, garbage, a redirect elsewhere). Exit 6. */
export class NetworkError extends SondeError {
  readonly kind = 'network';
  readonly exitCode = EXIT.unreachable;
  readonly endpoint: string | undefined;
  /** The status of an unusable answer; absent where nothing came back. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** True where the request may have reached the service, so that it may have acted on it. */
  readonly mayHaveActed: boolean;

  constructor(
    message: string,
    about: Partial<Pick<NetworkError, 'endpoint' | 'status' | 'requestId' | 'mayHaveActed'>> = {},
    context: ErrorContext = {},
  ) {
    super(message, context);
    this.endpoint = about.endpoint;
    this.status = about.status;
    this.requestId = about.requestId;
    this.mayHaveActed = about.mayHaveActed ?? true;
  }
}

/** A gate ended without a good verdict. It is a result: the sessions are already on stdout. */
export class VerdictError extends SondeError {
  readonly kind = 'verdict';
  readonly exitCode: number;

  constructor(message: string, exitCode: number, context: ErrorContext = {}) {
    super(message, context);
    this.exitCode = exitCode;
  }
}

/** A person answered no; nothing was changed. Exit 9. */
export class DeclinedError extends SondeError {
  readonly kind = 'declined';
  readonly exitCode = EXIT.declined;
}

/** A result or a report could not be written. Exit 74. */
export class OutputError extends SondeError {
  readonly kind = 'output';
  readonly exitCode = EXIT.output;
}

const SIGNAL_EXITS = { SIGHUP: EXIT.hungUp, SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;
export type StopSignal = keyof typeof SIGNAL_EXITS;

const CANCELLED_MESSAGES: Readonly<Record<StopSignal, string>> = {
  SIGHUP: 'hung up',
  SIGINT: 'interrupted',
  SIGTERM: 'terminated',
};

/** A person or the system stopped the command. Exit 129, 130 or 143. */
export class CancelledError extends SondeError {
  readonly kind = 'cancelled';
  readonly exitCode: number;
  readonly signal: StopSignal;

  constructor(signal: StopSignal, context: ErrorContext = {}) {
    super(CANCELLED_MESSAGES[signal], context);
    this.signal = signal;
    this.exitCode = SIGNAL_EXITS[signal];
  }
}

/** Several ids were worked on and some went wrong; each outcome has been shown. The code is the first that applies. */
export class PartialFailureError extends SondeError {
  readonly kind = 'partial';
  readonly exitCode: number;

  constructor(message: string, exitCode: number, context: ErrorContext = {}) {
    super(message, context);
    this.exitCode = exitCode;
  }
}

/** In which order several outcomes decide the one exit code. */
export const PRECEDENCE = [
  EXIT.bug,
  EXIT.badVerdict,
  EXIT.cancelled,
  EXIT.credentials,
  EXIT.notFound,
  EXIT.refused,
  EXIT.unreachable,
  EXIT.noVerdict,
  EXIT.output,
] as const;

/** The one exit code of several outcomes: the first of the precedence that any of them has, else 0. */
export function combinedExitCode(codes: readonly number[]): number {
  return (
    PRECEDENCE.find((code) => codes.includes(code)) ?? codes.find((code) => code !== EXIT.done) ?? EXIT.done
  );
}
