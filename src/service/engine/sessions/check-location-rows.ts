/** Summarizes the results of one transaction as rows of the last result of each check in each location. */
import type { Selectable } from 'kysely';
import { certificateOf, phasesOf } from '../../../contract/measured-facts.ts';
import type { Report } from '../../../worker/port.ts';
import type { Run } from '../../store/engine/runs.ts';
import type { SessionRecord } from '../../store/engine/sessions.ts';
import type { CheckLocationRow } from '../../store/tables/engine.ts';
import { verdictOfResult } from './states.ts';

type Row = Selectable<CheckLocationRow>;

/** A result of a run, and its ID. */
interface IdentifiedResult {
  readonly id: string;
  readonly session: SessionRecord;
  readonly run: Run;
  readonly report: Report;
  readonly type: 'FINAL' | 'ATTEMPT';
}

const STATUS = { passed: 'passing', degraded: 'degraded', failed: 'failing' } as const;

/**
 * Returns a row for each check and location with a final result, in the order of both. Attempts that are repeated,
 * cancelled runs and test sessions do not count. A monitor error only counts itself: it says nothing about the target.
 */
export function toCheckLocationRows(results: readonly IdentifiedResult[]): Row[] {
  const rows = new Map<string, Row>();
  for (const result of results) {
    const { session, type, report, run } = result;
    if (
      type !== 'FINAL' ||
      report.isCancelled ||
      session.check_id === null ||
      session.test_session_id !== null
    )
      continue;
    const location = run.first_location ?? run.location;
    const key = `${session.check_id} ${location}`;
    const before = rows.get(key);
    const row = toRow(result, session.check_id, location);
    rows.set(key, before === undefined ? row : merge(before, row));
  }
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

function toRow({ id, session, report }: IdentifiedResult, checkId: string, location: string): Row {
  const verdict = report.hasErrors ? 'errors' : verdictOfResult(report);
  const counts = { passed: 0, degraded: 0, failed: 0, errors: 0, [verdict]: 1 };
  const key = { check_id: checkId, location, account_id: session.account_id };
  if (verdict === 'errors') return { ...key, ...UNKNOWN, ...counts };
  const phases = phasesOf(report.details);
  const certificate = certificateOf(report.details);
  return {
    ...key,
    status: STATUS[verdict],
    result_id: id,
    good_result_id: verdict === 'passed' ? id : null,
    started_at: report.startedAt,
    response_time_us: report.responseTime === null ? null : Math.round(report.responseTime * 1000),
    phases: phases && JSON.stringify(phases),
    certificate: certificate && JSON.stringify(certificate),
    ...counts,
  };
}

const UNKNOWN = {
  status: null,
  result_id: null,
  good_result_id: null,
  started_at: null,
  response_time_us: null,
  phases: null,
  certificate: null,
} as const;

/** Merges two rows of a check and location: the values of the newer verdict, and the sums of the counts. */
function merge(one: Row, other: Row): Row {
  const isOtherNewer = other.started_at !== null && other.started_at >= (one.started_at ?? 0);
  const [older, newer] = isOtherNewer ? [one, other] : [other, one];
  return {
    ...newer,
    good_result_id: newer.good_result_id ?? older.good_result_id,
    certificate: newer.certificate ?? (newer.status === 'failing' ? older.certificate : null),
    passed: one.passed + other.passed,
    degraded: one.degraded + other.degraded,
    failed: one.failed + other.failed,
    errors: one.errors + other.errors,
  };
}
