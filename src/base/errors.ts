/** Defines the errors of sonde. Each has its exit code; only `src/cli/program/report-error.ts` prints them. */
import { EXIT } from './exits.ts';

/** One problem and its location. */
export interface Problem {
  /** A flag (`--frequency`), a line of a file (`check.yaml:3`) or the path of a field (`request.port`). */
  readonly place: string;
  /** The broken rule, as a sentence without a full stop. */
  readonly message: string;
  /** The accepted values. */
  readonly allowed?: readonly string[];
  /** The accepted value that is most similar to the rejected one. */
  readonly nearest?: string;
  /** Position in the input text, counted from 1, in characters. */
  readonly line?: number;
  readonly column?: number;
  /** The line of the input with a mark under the position. */
  readonly excerpt?: string;
}

export interface ErrorContext {
  readonly hint?: string | undefined;
  readonly details?: readonly Problem[] | undefined;
  readonly cause?: unknown;
}

/** Base class of all errors. `--json` prints `kind`; `exitCode` is one of EXIT. */
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

/** The command line or a file is not usable. No request was sent. Exit 2. */
export class UsageError extends SondeError {
  readonly kind = 'usage';
  readonly exitCode = EXIT.usage;
}

/** The key is missing or must not be used here. No request was sent. Exit 4. */
export class CredentialsError extends SondeError {
  readonly kind = 'credentials';
  readonly exitCode = EXIT.credentials;
}

/** The cause of a 404: the endpoint or the resource is missing, or the answer does not say which. */
export type Absence = 'endpoint' | 'resource' | 'either';

/** Describes the answer that refused a request. */
export interface Refusal {
  readonly status: number;
  /** `METHOD /path` as in the specification's table. */
  readonly endpoint: string;
  readonly requestId?: string | undefined;
  /** The reason phrase, `Not Found`; empty if unknown. */
  readonly statusText?: string | undefined;
  /** Whether the API itself sent the answer, so that its message can be trusted. */
  readonly fromApi?: boolean | undefined;
  /** Missing part of the deployment. Default for 404: the resource. */
  readonly absence?: Absence | undefined;
}

/**
 * The service answered with an error status. Exit 4 (401, 403), 5 (404), 6 (429, 5xx, and 408 outside the gate), else 3. If the
 * deployment does not offer the endpoint: 3.
 */
export class ApiError extends SondeError {
  readonly kind = 'api';
  readonly status: number;
  readonly endpoint: string;
  readonly requestId: string | undefined;
  readonly statusText: string | undefined;
  /**
   * Whether the body is JSON with a reason. A 404 without one may come from another server and says nothing about a
   * resource.
   */
  readonly fromApi: boolean;
  /** Missing part of the deployment; undefined if the request was rejected for another reason. */
  readonly absence: Absence | undefined;

  constructor(message: string, refusal: Refusal, context: ErrorContext = {}) {
    super(message, context);
    this.status = refusal.status;
    this.endpoint = refusal.endpoint;
    this.requestId = refusal.requestId;
    this.statusText = refusal.statusText;
    this.fromApi = refusal.fromApi ?? true;
    this.absence = refusal.absence ?? (refusal.status === 404 ? 'resource' : undefined);
  }

  get exitCode(): number {
    if (this.absence === 'endpoint') return EXIT.refused;
    if (this.status === 401 || this.status === 403) return EXIT.credentials;
    if (this.status === 404) return EXIT.notFound;
    if (this.status === 408 || this.status === 429 || this.status >= 500) return EXIT.unreachable;
    return EXIT.refused;
  }
}

/** Returns whether the service says that it does not have the resource. */
export const isMissingResource = (error: unknown): error is ApiError & { readonly status: 404 } =>
  error instanceof ApiError && error.status === 404 && error.absence !== 'endpoint';

/** Returns whether the deployment does not offer the endpoint, or may not offer it. */
export const mayLackEndpoint = (
  error: unknown,
): error is ApiError & { readonly absence: 'endpoint' | 'either' } =>
  error instanceof ApiError && (error.absence === 'endpoint' || error.absence === 'either');

/** No resource has the given name or ID. Exit 5. */
export class NotFoundError extends SondeError {
  readonly kind = 'not-found';
  readonly exitCode = EXIT.notFound;
}

/** The service is unreachable, or the server is not the API (HTML, invalid data, a redirect elsewhere). Exit 6. */
export class NetworkError extends SondeError {
  readonly kind = 'network';
  readonly exitCode = EXIT.unreachable;
  readonly endpoint: string | undefined;
  /** The status of an unusable answer; absent if there was no answer. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** True if the request may have reached the service, which may have executed it. */
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

/** A gate ended without a passing verdict. This is a result: the sessions are already on stdout. */
export class VerdictError extends SondeError {
  readonly kind = 'verdict';
  readonly exitCode: number;

  constructor(message: string, exitCode: number, context: ErrorContext = {}) {
    super(message, context);
    this.exitCode = exitCode;
  }
}

/** The user answered no; nothing changed. Exit 9. */
export class DeclinedError extends SondeError {
  readonly kind = 'declined';
  readonly exitCode = EXIT.declined;
}

/** A saved plan no longer matches the deployment; nothing changed. Exit 9. */
export class OutdatedPlanError extends SondeError {
  readonly kind = 'outdated-plan';
  readonly exitCode = EXIT.declined;
}

/** Another apply holds the lock of the project, or has taken it from this one. Exit 11. */
export class LockedError extends SondeError {
  readonly kind: string = 'locked';
  readonly exitCode = EXIT.locked;
}

/** Another apply changed the state of the project after the plan was made; nothing changed. Exit 11. */
export class StateChangedError extends LockedError {
  override readonly kind = 'state-changed';
}

/** A plan has changes, and its caller wants an exit code that says so. The plan is already on stdout. Exit 10. */
export class ChangesPendingError extends SondeError {
  readonly kind = 'changes-pending';
  readonly exitCode = EXIT.changesPending;
}

/** A job that sonde ran ended with this exit code. It has said why. */
export class JobExit extends SondeError {
  readonly kind = 'job';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`the job exited with code ${exitCode}`);
    this.exitCode = exitCode;
  }
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

/** The user or the system stopped the command. Exit 129, 130 or 143. */
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

/** Some of several IDs failed; each outcome was printed. The first applicable code wins. */
export class PartialFailureError extends SondeError {
  readonly kind = 'partial';
  readonly exitCode: number;

  constructor(message: string, exitCode: number, context: ErrorContext = {}) {
    super(message, context);
    this.exitCode = exitCode;
  }
}

/** The order in which several outcomes determine the exit code. */
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

/** Returns the exit code of several outcomes: the first code of PRECEDENCE that occurs, else 0. */
export function combinedExitCode(codes: readonly number[]): number {
  return (
    PRECEDENCE.find((code) => codes.includes(code)) ?? codes.find((code) => code !== EXIT.done) ?? EXIT.done
  );
}
