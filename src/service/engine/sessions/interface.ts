/** Declares what the engine offers to the rest of the service. */
import type {
  BodyOf,
  claimRuns,
  getCheckSession,
  getTestSession,
  listCheckResultsDeprecated,
  listCheckRollUps,
  QueryOf,
  ResponseOf,
  renewRuns,
  reportRun,
  triggerCheckSessions,
  triggerTestSessions,
  updateErrorGroup,
} from '../../../contract/index.ts';
import type { Listing, StoreTransaction } from '../../store/index.ts';
import type { Progress } from '../schedule/watchdog.ts';

export type CheckSession = ResponseOf<typeof getCheckSession>;
export type StartedCheckSession = ResponseOf<typeof triggerCheckSessions>['sessions'][number];
export type TestSession = ResponseOf<typeof getTestSession>;
export type CheckResult = ResponseOf<typeof listCheckResultsDeprecated>[number];
export type RollUp = ResponseOf<typeof listCheckRollUps>['entries'][number];
export type ErrorGroup = ResponseOf<typeof updateErrorGroup>;
type ErrorGroupChange = BodyOf<typeof updateErrorGroup>;
type ResultFilters = Omit<QueryOf<typeof listCheckResultsDeprecated>, 'page'>;
type TestBody = BodyOf<typeof triggerTestSessions>;

/** The source of a session (docs/gaps.md, runSource). */
export type RunSource = NonNullable<CheckSession['runSource']>;

/** Which checks run: any of `checkId`, and any group of `matchTags` (all of its tags; `!tag` excludes one). */
export type Target = NonNullable<TestBody['target']> & {
  /** Whether deactivated checks run, too. */
  readonly allowDeactivated?: boolean;
};

export interface StartSessions {
  readonly accountId: string;
  /** Default: every activated check of the account. */
  readonly target?: Target;
  readonly runSource: RunSource;
}

/** A page of a cursor-paged list. `nextId` is null on the last page. */
export interface Page<T> {
  readonly length: number;
  readonly entries: T[];
  readonly nextId: string | null;
}

export interface CursorQuery {
  readonly accountId: string;
  /** Default: 20. */
  readonly limit?: number;
  /** The cursor of the previous page. Throws the store's UnknownCursor for any other value. */
  readonly nextId?: string;
}

export interface ListSessions extends CursorQuery {
  readonly checkId?: string;
  readonly status?: CheckSession['status'];
  /** The beginning of the ID. */
  readonly search?: string;
}

/**
 * Filters of result lists. `from` (inclusive) and `to` (exclusive) are UNIX seconds; `resultType` defaults to FINAL.
 */
export interface ListResults extends ResultFilters {
  readonly accountId: string;
  readonly checkId: string;
}

/** Filters of roll-ups. `from` (inclusive) and `to` (exclusive) are UNIX seconds; `period` defaults to HOUR. */
export interface ListRollUps extends CursorQuery, Omit<QueryOf<typeof listCheckRollUps>, 'limit' | 'nextId'> {
  readonly checkId: string;
}

/** A session at the end of the wait. `ended` false: it is still running, and the API answers 408. */
export interface Awaited<Session> {
  readonly ended: boolean;
  readonly session: Session;
}

export interface Engine {
  /** Recovers the work of a killed process, then schedules and runs checks. */
  start(): Promise<void>;
  /**
   * Stops claiming, lets running checks finish within the grace period, and stores results. Other runs stay
   * claimable.
   */
  stop(): Promise<void>;

  /**
   * Starts a session of each activated check that matches, with group concurrency as in `startGroup`. Returns [] if
   * none matches (the API answers 404).
   */
  startSessions(request: StartSessions): Promise<StartedCheckSession[]>;
  /**
   * Starts the activated checks of a group by groupOrder, at most `concurrency` at once. Returns [] if it has none
   * (the API answers 404).
   */
  startGroup(request: {
    readonly accountId: string;
    readonly groupId: number;
    readonly runSource: RunSource;
  }): Promise<StartedCheckSession[]>;
  /** Endpoint 8. Returns undefined if the account has no such session. */
  getSession(accountId: string, sessionId: string): Promise<CheckSession | undefined>;
  /** Endpoint 9. Waits at most `maxWaitMs`, or until `signal` aborts because the caller has gone away. */
  awaitSession(
    accountId: string,
    sessionId: string,
    maxWaitMs: number,
    signal?: AbortSignal,
  ): Promise<Awaited<CheckSession> | undefined>;
  listSessions(query: ListSessions): Promise<Page<CheckSession>>;
  /** Returns false if the account has no such session. Cancelling an ended session changes nothing and returns true. */
  cancelSession(accountId: string, sessionId: string): Promise<boolean>;

  readonly testSessions: {
    /** Returns undefined if no check matches (the API answers 404). */
    start(request: TestBody & { readonly accountId: string }): Promise<TestSession | undefined>;
    /** Endpoint 10. */
    get(accountId: string, testSessionId: string): Promise<TestSession | undefined>;
    await(
      accountId: string,
      testSessionId: string,
      maxWaitMs: number,
      signal?: AbortSignal,
    ): Promise<Awaited<TestSession> | undefined>;
    list(query: CursorQuery): Promise<Page<TestSession>>;
    cancel(accountId: string, testSessionId: string): Promise<boolean>;
  };

  /** The queue for agents of private locations. */
  readonly agents: AgentPort;

  readonly results: {
    /** Endpoint 20, with its window of 6 hours (rule 8). `page` starts at 1. */
    list(query: ListResults & { readonly page?: number }): Promise<CheckResult[]>;
    /** Its replacement: newest first, paged by cursor, limited in time only by `from` and `to`. */
    page(query: ListResults & { readonly nextId?: string }): Promise<Page<CheckResult>>;
    /** The same lists, read in portions. */
    listing(query: ListResults & { readonly page?: number }): Promise<Listing<CheckResult>>;
    paging(query: ListResults & { readonly nextId?: string }): Promise<Listing<CheckResult>>;
    get(accountId: string, resultId: string): Promise<CheckResult | undefined>;
    /** Results rolled up by hour or day and location, newest first. Includes results past their retention. */
    rollUps(query: ListRollUps): Promise<Page<RollUp>>;
  };

  readonly errorGroups: {
    /** Endpoint 12, last seen first. `page` starts at 1. */
    list(query: {
      readonly accountId: string;
      readonly checkId: string;
      readonly limit?: number;
      readonly page?: number;
    }): Promise<ErrorGroup[]>;
    get(accountId: string, id: string): Promise<ErrorGroup | undefined>;
    /** Endpoint 11. Returns undefined if the account has no such error group. */
    patch(accountId: string, id: string, change: ErrorGroupChange): Promise<ErrorGroup | undefined>;
  };

  /** Receives a heartbeat ping at the URL that ends with the token. Returns false for an unknown URL. */
  ping(
    token: string,
    how: { readonly method: string; readonly userAgent: string | undefined },
  ): Promise<boolean>;

  /** Sets the schedule of a check after it or its group was created, changed or deleted. */
  rescheduleCheck(checkId: string): Promise<void>;
  /**
   * Deletes a check with `remove`, and all its records. First cancels its sessions, and the test sessions that
   * contain it, because their verdict would lack its results. No session of the check starts before `remove`.
   */
  deleteCheck<T>(
    accountId: string,
    checkId: string,
    remove: (tx: StoreTransaction) => Promise<T>,
  ): Promise<T>;

  /** Returns the state of the engine, for /health and /metrics. */
  status(): Promise<EngineStatus>;
  /** Returns whether the engine makes progress, for /ready and /health. Never waits. */
  health(): EngineHealth;
}

export interface EngineHealth extends Progress {
  /** By how many ms the clock of a Postgres server is ahead of this machine's; undefined on SQLite. */
  readonly clockOffsetMs: number | undefined;
}

export interface EngineStatus {
  readonly running: boolean;
  /** Number of attempts that the built-in worker is running. */
  readonly active: number;
  /** Number of attempts that wait for a worker, including backoff; null if the database does not answer. */
  readonly queued: number | null;
  /** Counted since the start of this process. */
  readonly counters: {
    readonly sessionsStarted: number;
    readonly sessionsEnded: Readonly<Record<string, number>>;
    /** Recorded attempts. */
    readonly attempts: number;
    readonly missedTicks: number;
    /** Attempts with a monitor error (hasErrors). */
    readonly errors: number;
  };
  /** Delay of scheduled sessions from their tick, in ms, since the start of this process. */
  readonly lateness: { readonly count: number; readonly sum: number; readonly max: number };
}

/** The private location of an agent's key. */
export interface AgentLocation {
  /** The key that authenticated the agent. */
  readonly keyId: string;
  readonly accountId: string;
  readonly locationId: string;
  readonly slugName: string;
}

/** An agent's claim of a run. */
export interface AgentClaim {
  readonly agentId: string;
  readonly claimId: string;
  readonly runId: number;
}

export interface AgentPort {
  /**
   * Claims runs, as soon as there are any; none at the end of the wait or once `signal` aborts. Returns undefined if
   * the key was revoked meanwhile.
   */
  claim(
    at: AgentLocation,
    request: BodyOf<typeof claimRuns>,
    signal: AbortSignal,
  ): Promise<ClaimedRuns | undefined>;
  /** Renews claims. Waits until one of them is cancelled or lost. */
  renew(at: AgentLocation, request: BodyOf<typeof renewRuns>, signal: AbortSignal): Promise<Renewed>;
  /** Returns whether an agent of the location holds a run by this claim. */
  holds(at: AgentLocation, claim: AgentClaim): Promise<boolean>;
  /** Records a result once, even if it is reported again. */
  report(at: AgentLocation, reported: BodyOf<typeof reportRun>): Promise<ReportOutcome>;
  /** Releases all claims of the agent except `keep`. */
  release(at: AgentLocation, agentId: string, keep: readonly number[]): Promise<void>;
}

export type ClaimedRuns = ResponseOf<typeof claimRuns>;
type Renewed = ResponseOf<typeof renewRuns>;
export type ReportOutcome = ResponseOf<typeof reportRun>;
