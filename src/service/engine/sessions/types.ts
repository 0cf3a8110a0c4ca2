/** Declares the requests and responses of the engine. */
import type {
  BodyOf,
  getCheckSession,
  getTestErrorGroup,
  getTestSession,
  listCheckResultsDeprecated,
  listCheckRollUps,
  listTestSessions,
  QueryOf,
  ResponseOf,
  triggerCheckSessions,
  triggerTestSessions,
  updateErrorGroup,
} from '../../../contract/index.ts';

export type CheckSession = ResponseOf<typeof getCheckSession>;
export type StartedCheckSession = ResponseOf<typeof triggerCheckSessions>['sessions'][number];
export type TestSession = ResponseOf<typeof getTestSession>;
export type CheckResult = ResponseOf<typeof listCheckResultsDeprecated>[number];
export type RollUp = ResponseOf<typeof listCheckRollUps>['entries'][number];
export type ErrorGroup = ResponseOf<typeof updateErrorGroup>;
export type TestErrorGroup = ResponseOf<typeof getTestErrorGroup>;
export type ErrorGroupChange = BodyOf<typeof updateErrorGroup>;
type ResultFilters = Omit<QueryOf<typeof listCheckResultsDeprecated>, 'page'>;
export type TestBody = BodyOf<typeof triggerTestSessions>;

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
  /** Replaces the locations of the checks. */
  readonly runLocation?: string;
  /** URL of a deployment, which replaces the scheme, host and port of targets and the base URL of scripts. */
  readonly environmentUrl?: string;
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

/** Filters of test sessions. `from` (inclusive) and `to` (exclusive) are UNIX seconds. */
export interface ListTests extends CursorQuery, Omit<QueryOf<typeof listTestSessions>, 'limit' | 'nextId'> {}

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

/** Filters of the error groups of a check. `page` starts at 1. */
export interface ListErrorGroups {
  readonly accountId: string;
  readonly checkId?: string;
  readonly limit?: number;
  readonly page?: number;
}

export interface ListTestErrorGroups extends Omit<ListErrorGroups, 'checkId'> {
  readonly projectId?: string;
}
