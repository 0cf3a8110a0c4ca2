/** What the engine offers to the rest of the service: the API's handlers, the pages and the process that starts it. */
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

/** What a session was started by (docs/gaps.md, runSource). */
export type RunSource = NonNullable<CheckSession['runSource']>;

/** Which checks run: any of `checkId`, any group of `matchTags` (all of its tags, `!tag`: without it); both must hold. */
export type Target = NonNullable<TestBody['target']> & {
  /** Whether deactivated checks run too. */
  readonly allowDeactivated?: boolean;
};

export interface StartSessions {
  readonly accountId: string;
  /** Left out: every activated check of the account. */
  readonly target?: Target;
  readonly runSource: RunSource;
}

/** A page of a list that is paged by cursor. `nextId` is null on the last page. */
export interface Page<T> {
  readonly length: number;
  readonly entries: T[];
  readonly nextId: string | null;
}

export interface CursorQuery {
  readonly accountId: string;
  /** Default 20. */
  readonly limit?: number;
  /** As the page before gave it; anything else throws the store's UnknownCursor. */
  readonly nextId?: string;
}

export interface ListSessions extends CursorQuery {
  readonly checkId?: string;
  readonly status?: CheckSession['status'];
  /** The beginning of the id. */
  readonly search?: string;
}

/** Filters of the result listings; `from` (inclusive) and `to` (exclusive) in UNIX seconds; resultType default FINAL. */
export interface ListResults extends ResultFilters {
  readonly accountId: string;
  readonly checkId: string;
}

/** Roll-ups of a check; `from` (inclusive) and `to` (exclusive) in UNIX seconds; period default HOUR. */
export interface ListRollUps extends CursorQuery, Omit<QueryOf<typeof listCheckRollUps>, 'limit' | 'nextId'> {
  readonly checkId: string;
}

/** A session as it was when the wait ended. `ended` false: it still runs, the API answers 408. */
export interface Awaited<Session> {
  readonly ended: boolean;
  readonly session: Session;
}

export interface Engine {
  /** Concludes what a killed process left behind, then schedules and runs checks. */
  start(): Promise<void>;
  /** Stops claiming, lets running checks finish within the grace, stores everything. What is left stays claimable. */
  stop(): Promise<void>;

  /**
   * Starts a session of each matching check that is activated, those of a group as `startGroup` does; [] where nothing matches (the
   * API answers 404).
   */
  startSessions(request: StartSessions): Promise<StartedCheckSession[]>;
  /** Starts the activated checks of a group by groupOrder, at most `concurrency` at once; [] where it has none (the API answers 404). */
  startGroup(request: {
    readonly accountId: string;
    readonly groupId: number;
    readonly runSource: RunSource;
  }): Promise<StartedCheckSession[]>;
  /** Endpoint 8. Undefined: the account has no such session. */
  getSession(accountId: string, sessionId: string): Promise<CheckSession | undefined>;
  /** Endpoint 9: waits at most `maxWaitMs`; resolves at once when `signal` aborts (the caller went away). */
  awaitSession(
    accountId: string,
    sessionId: string,
    maxWaitMs: number,
    signal?: AbortSignal,
  ): Promise<Awaited<CheckSession> | undefined>;
  listSessions(query: ListSessions): Promise<Page<CheckSession>>;
  /** False: the account has no such session. Cancelling one that has ended changes nothing and is true. */
  cancelSession(accountId: string, sessionId: string): Promise<boolean>;

  readonly testSessions: {
    /** Undefined where nothing matches (the API answers 404). */
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

  /** What agents of private locations ask and report. */
  readonly agents: Agents;

  readonly results: {
    /** Endpoint 20, with its window of 6 hours (rule 8). `page` from 1. */
    list(query: ListResults & { readonly page?: number }): Promise<CheckResult[]>;
    /** Its replacement: newest first, by cursor; bounded in time only by the `from` and `to` that are given. */
    page(query: ListResults & { readonly nextId?: string }): Promise<Page<CheckResult>>;
    /** The same two, read in portions. */
    listing(query: ListResults & { readonly page?: number }): Promise<Listing<CheckResult>>;
    paging(query: ListResults & { readonly nextId?: string }): Promise<Listing<CheckResult>>;
    get(accountId: string, resultId: string): Promise<CheckResult | undefined>;
    /** What they came to by hour or day and location, the newest first; also of results that are kept no longer. */
    rollUps(query: ListRollUps): Promise<Page<RollUp>>;
  };

  readonly errorGroups: {
    /** Endpoint 12: last seen first. `page` from 1. */
    list(query: {
      readonly accountId: string;
      readonly checkId: string;
      readonly limit?: number;
      readonly page?: number;
    }): Promise<ErrorGroup[]>;
    get(accountId: string, id: string): Promise<ErrorGroup | undefined>;
    /** Endpoint 11. Undefined: the account has no such error group. */
    patch(accountId: string, id: string, change: ErrorGroupChange): Promise<ErrorGroup | undefined>;
  };

  /** A heartbeat is pinged at the URL that ends so; false: there is no such URL. */
  ping(
    token: string,
    how: { readonly method: string; readonly userAgent: string | undefined },
  ): Promise<boolean>;

  /** To be called after a check (or its group) was created, changed or deleted: its schedule is set at once. */
  checkChanged(checkId: string): Promise<void>;
  /**
   * Deletes a check by `remove`, and with it all that it recorded: first cancels what runs, and the test sessions that it is
   * a part of, as their verdict would lack what it found. Nothing of it starts between the last of that and `remove`.
   */
  forgetCheck<T>(
    accountId: string,
    checkId: string,
    remove: (tx: StoreTransaction) => Promise<T>,
  ): Promise<T>;

  /** How the engine is doing, for /health and /metrics. */
  status(): Promise<EngineStatus>;
  /** Whether the engine makes progress, for /ready and /health. Never waits. */
  health(): EngineHealth;
}

export interface EngineHealth extends Progress {
  /** By how many ms the clock of a Postgres server is ahead of this machine's; undefined on SQLite. */
  readonly clockOffsetMs: number | undefined;
}

export interface EngineStatus {
  readonly running: boolean;
  /** Attempts that the built-in worker is running now. */
  readonly active: number;
  /** Attempts that wait for a worker, those that back off included; null where the database does not say. */
  readonly queued: number | null;
  /** Since the start of this process. */
  readonly counters: {
    readonly sessionsStarted: number;
    readonly sessionsEnded: Readonly<Record<string, number>>;
    /** Attempts that were recorded. */
    readonly attempts: number;
    readonly missedTicks: number;
    /** Attempts with hasErrors: the monitor's own fault. */
    readonly errors: number;
  };
  /** How late scheduled sessions started, in ms since their tick, since the start of this process. */
  readonly lateness: { readonly count: number; readonly sum: number; readonly max: number };
}

/** The private location that an agent's key belongs to. */
export interface AgentLocation {
  /** The key that the agent has shown. */
  readonly keyId: string;
  readonly accountId: string;
  readonly locationId: string;
  readonly slugName: string;
}

/** A run as an agent names it. */
export interface AgentClaim {
  readonly agentId: string;
  readonly claimId: string;
  readonly runId: number;
}

export interface Agents {
  /**
   * What the agent is to run: as soon as there is anything, none at the end of its wait or once `signal` aborts. Undefined where
   * its key was revoked meanwhile.
   */
  claim(
    at: AgentLocation,
    asked: BodyOf<typeof claimRuns>,
    signal: AbortSignal,
  ): Promise<ClaimedRuns | undefined>;
  /** Prolongs claims; waits until one of them is cancelled or lost. */
  renew(at: AgentLocation, asked: BodyOf<typeof renewRuns>, signal: AbortSignal): Promise<Renewed>;
  /** Whether an agent of the location holds a run by this claim. */
  holds(at: AgentLocation, claim: AgentClaim): Promise<boolean>;
  /** Records a result once, however often it is reported. */
  report(at: AgentLocation, reported: BodyOf<typeof reportRun>): Promise<ReportOutcome>;
  /** Gives back all that the agent holds, but for some. */
  release(at: AgentLocation, agentId: string, keep: readonly number[]): Promise<void>;
}

export type ClaimedRuns = ResponseOf<typeof claimRuns>;
type Renewed = ResponseOf<typeof renewRuns>;
export type ReportOutcome = ResponseOf<typeof reportRun>;
