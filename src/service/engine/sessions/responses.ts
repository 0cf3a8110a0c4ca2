/** Converts rows to API responses. */

import { isCheckType } from '../../../contract/check-type-facts.ts';
import { CHECK_TYPES } from '../../../contract/generated/check-types.js';
import type { ErrorGroupRecord } from '../../store/engine/error-groups.ts';
import type { ListedResult, ResultOutcome, ResultRecord } from '../../store/engine/results.ts';
import { PERIOD_MS, type Period, percentile } from '../../store/engine/rollup-periods.ts';
import type { RollUpRecord } from '../../store/engine/rollups.ts';
import type { SessionRecord } from '../../store/engine/sessions.ts';
import type { TestErrorGroupRecord } from '../../store/engine/test-session-errors.ts';
import type { TestSessionRecord } from '../../store/engine/test-sessions.ts';
import { publishBrowserResult, publishMultiStepResult } from '../results/published-script-result.ts';
import type { Links } from './capability.ts';
import type { SessionStatus } from './states.ts';
import type {
  CheckResult,
  CheckSession,
  ErrorGroup,
  RollUp,
  StartedCheckSession,
  TestErrorGroup,
  TestSession,
} from './types.ts';

const iso = (instant: number) => new Date(instant).toISOString();
const isoOrNull = (instant: number | null) => (instant === null ? null : iso(instant));

type TestSessionResult = NonNullable<TestSession['results']>[number];

/** Returns the times of a run. The response time is in ms. */
const timesOf = (row: Pick<ResultRecord<string>, 'started_at' | 'stopped_at' | 'response_time_us'>) => ({
  startedAt: iso(row.started_at),
  stoppedAt: iso(row.stopped_at),
  responseTime: row.response_time_us === null ? null : row.response_time_us / 1000,
});

type StartedRow = Pick<
  SessionRecord<string>,
  | 'id'
  | 'check_id'
  | 'check_name'
  | 'check_type'
  | 'status'
  | 'run_source'
  | 'started_at'
  | 'stopped_at'
  | 'locations'
>;

/** Converts a session without its results. `now` (ms) ends the elapsed time of an open session. */
export function toStartedSession(row: StartedRow, now: number, links: Links): StartedCheckSession {
  return {
    checkSessionId: row.id,
    ...linkOf('checkSessionLink', links.checkSession(row.id)),
    checkId: row.check_id,
    checkType: row.check_type as StartedCheckSession['checkType'],
    name: row.check_name,
    status: row.status as SessionStatus,
    startedAt: iso(row.started_at),
    stoppedAt: isoOrNull(row.stopped_at),
    timeElapsed: Math.max(0, (row.stopped_at ?? now) - row.started_at),
    runLocations: JSON.parse(row.locations) as string[],
    runSource: row.run_source as StartedCheckSession['runSource'],
  };
}

export function toCheckSession(
  row: SessionRecord<string>,
  results: readonly ResultOutcome[],
  now: number,
  links: Links,
): CheckSession {
  return {
    ...toStartedSession(row, now, links),
    results: results.map((result) => ({
      checkResultId: result.id,
      ...linkOf('checkResultLink', links.checkResult(row.id, result.id)),
      checkId: row.check_id,
      name: result.check_name,
      runLocation: result.location,
      ...flagsOf(result),
      isCancelled: result.is_cancelled === 1,
      checkType: result.check_type as StartedCheckSession['checkType'],
      resultType: result.result_type as 'FINAL' | 'ATTEMPT',
      ...timesOf(result),
    })),
  };
}

/** Converts a test session. Includes results of suites if the rows have details. */
export function toTestSession(
  row: TestSessionRecord,
  results: readonly (ListedResult & Partial<Pick<ResultRecord, 'details'>>)[],
  now: number,
  links: Links,
): TestSession {
  return {
    testSessionId: row.id,
    ...linkOf('testSessionLink', links.testSession(row.id)),
    name: row.name,
    status: row.status as TestSession['status'],
    // An addition to the documented fields: whether it is recorded.
    runSource: row.is_recorded === 1 ? 'TEST_RECORD' : 'TEST_NO_RECORD',
    errorGroupIds: [...new Set(results.flatMap(groupIdsOf))],
    startedAt: iso(row.started_at),
    stoppedAt: isoOrNull(row.stopped_at),
    timeElapsed: Math.max(0, (row.stopped_at ?? now) - row.started_at),
    ...(row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) as Record<string, string> }),
    results: results.map((result) => toTestSessionResult(row.id, result, links)),
  };
}

/** Converts a result of a test session. Includes the result of a suite if the row has details. */
export function toTestSessionResult(
  testSessionId: string,
  result: ListedResult & Partial<Pick<ResultRecord, 'details'>>,
  links: Links,
): TestSessionResult {
  return {
    testSessionResultId: result.id,
    ...linkOf('testSessionResultLink', links.testResult(testSessionId, result.id)),
    errorGroupIds: groupIdsOf(result),
    ...flagsOf(result),
    checkId: result.check_id,
    name: result.check_name,
    runLocation: result.location,
    checkType: result.check_type as CheckSession['checkType'],
    status: testResultStatus(result),
    resultType: result.result_type as 'FINAL' | 'ATTEMPT',
    ...timesOf(result),
    // An addition to the documented fields: the errors and the results of a suite.
    errors: JSON.parse(result.errors) as string[],
    ...(result.check_type === 'PLAYWRIGHT' && result.details !== undefined
      ? { playwrightCheckResult: JSON.parse(result.details) as Record<string, unknown> }
      : {}),
  };
}

/** Converts a raw result. The details of a check type are in the field of that type. */
export function toCheckResult(row: ResultRecord<string>): CheckResult {
  const details = JSON.parse(row.details) as Record<string, unknown>;
  const { check_type: type } = row;
  // An addition to the documented fields: the errors, and details of uptime checks.
  const additions = {
    errors: JSON.parse(row.errors) as string[],
    ...(isCheckType(type) && !CHECK_TYPES[type].isResultSpecified
      ? { [CHECK_TYPES[type].resultField]: details }
      : {}),
  };
  const detailsFor = (checkType: string) => (row.check_type === checkType ? details : null);
  const run = { startedAt: row.started_at, stoppedAt: row.stopped_at, errors: additions.errors, details };
  return {
    id: row.id,
    name: row.check_name,
    checkId: row.check_id,
    hasFailures: row.has_failures === 1,
    hasErrors: row.has_errors === 1,
    isDegraded: row.is_degraded === 1,
    isCancelled: row.is_cancelled === 1,
    overMaxResponseTime: row.over_max_response_time === 1,
    runLocation: row.location,
    ...timesOf(row),
    created_at: iso(row.created_at),
    apiCheckResult: detailsFor('API'),
    browserCheckResult: detailsFor('BROWSER') && publishBrowserResult(run),
    multiStepCheckResult: detailsFor('MULTI_STEP') && publishMultiStepResult(run),
    agenticCheckResult: detailsFor('AGENTIC'),
    playwrightCheckResult: detailsFor('PLAYWRIGHT'),
    ...additions,
    checkRunId: row.check_run_id,
    attempts: row.attempt,
    resultType: row.result_type as 'FINAL' | 'ATTEMPT',
    sequenceId: row.sequence_id,
    traceId: null,
    errorGroupIds: groupIdsOf(row),
  };
}

/** Converts a roll-up of a period. Response times are in ms. */
export function toRollUp({ startsAt, location, times, ...counts }: RollUpRecord, period: Period): RollUp {
  const ms = (micros = 0) => Math.round(micros) / 1000;
  return {
    period,
    startsAt: iso(startsAt),
    endsAt: iso(startsAt + PERIOD_MS[period]),
    location,
    ...counts,
    responseTime:
      times.count === 0
        ? null
        : {
            count: times.count,
            min: ms(times.least),
            avg: ms(times.sum / times.count),
            max: ms(times.most),
            p50: ms(percentile(times, 0.5)),
            p95: ms(percentile(times, 0.95)),
          },
  };
}

export function toErrorGroup(row: ErrorGroupRecord): ErrorGroup {
  return {
    id: row.id,
    checkId: row.check_id,
    errorHash: row.error_hash,
    rawErrorMessage: row.raw_message,
    cleanedErrorMessage: row.cleaned_message,
    firstSeen: iso(row.first_seen),
    lastSeen: iso(row.last_seen),
    archivedUntilNextEvent: row.archived_until_next_event === 1,
    // An addition to the documented fields. Without it, clients could not see that a group is archived for ever.
    archiveForEver: row.archived_for_ever === 1,
    rootCauseAnalyses: [],
  };
}

/** Returns an error group as test sessions have seen it. Its project is that of its check. */
export const toTestErrorGroup = (row: TestErrorGroupRecord): TestErrorGroup => ({
  ...toErrorGroup(row),
  projectId: row.projectId,
  environments: [...row.environments],
  pwtMetadata: null,
});

/** Returns a link under its field name, or nothing if the service has no pages. */
function linkOf<Name extends string>(name: Name, link: string | undefined): { [N in Name]?: string } {
  return link === undefined ? {} : ({ [name]: link } as { [N in Name]?: string });
}

function flagsOf(row: ResultOutcome) {
  return {
    hasErrors: row.has_errors === 1,
    hasFailures: row.has_failures === 1,
    isDegraded: row.is_degraded === 1,
    aborted: row.aborted === 1,
  };
}

function groupIdsOf(row: Pick<ResultRecord, 'error_group_ids'>): string[] {
  return JSON.parse(row.error_group_ids) as string[];
}

function testResultStatus(row: ResultOutcome): TestSession['status'] {
  if (row.is_cancelled === 1) return 'CANCELLED';
  return row.has_errors === 1 || row.has_failures === 1 ? 'FAILED' : 'PASSED';
}
