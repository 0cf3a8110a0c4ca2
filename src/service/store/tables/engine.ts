/** The tables of the engine: sessions, runs, results and error groups. Instants in ms since the epoch, lists as JSON. */
import type { Generated } from 'kysely';

/** One run of a check in its locations. Sessions of a test session are among them. */
export interface CheckSessionRow {
  id: string;
  account_id: string;
  /** Null: it is of a suite that was sent for a test session, and of no stored check. */
  check_id: string | null;
  /** Set where it is a part of a test session. */
  test_session_id: string | null;
  check_name: string;
  check_type: string;
  status: string;
  run_source: string;
  /** The tick it was started for; null: started by hand. One session a tick. */
  scheduled_at: number | null;
  started_at: number;
  stopped_at: number | null;
  /** Its deadline while it is open; null once it has ended. */
  ends_by: number | null;
  /** JSON: locations. */
  locations: string;
  /** JSON: what its runs need (settings, retries, variables) while it is open; null once it has ended. */
  plan: string | null;
  /** Set where it is one of several that take turns: those of a started group. */
  batch_id: string | null;
  batch_place: number | null;
  /** When it was asked to stop; null: never. */
  cancelled_at: number | null;
}

/** An attempt that is to be made or under way. Its result takes its place. */
export interface RunRow {
  id: Generated<number>;
  account_id: string;
  session_id: string;
  /** The first attempt's id; null: it is the first. */
  check_run_id: number | null;
  sequence_id: string;
  /** 0 for the first. */
  attempt: number;
  location: string;
  /** Who may claim it: `public`, or `private/<slug>`, of the account. */
  pool: string;
  /** HELD (its batch has no place yet), QUEUED or RUNNING. */
  state: string;
  not_before: number;
  /** Nobody may claim it later. */
  claim_by: number;
  /** How long it may take, in ms. */
  timeout_ms: number;
  /** When the first attempt started; null: it is the first. */
  first_started_at: number | null;
  claimed_by: string | null;
  claimed_at: number | null;
  lease_until: number | null;
}

export interface ResultRow {
  id: string;
  account_id: string;
  /** Null: as in its session. */
  check_id: string | null;
  session_id: string;
  test_session_id: string | null;
  check_name: string;
  check_type: string;
  location: string;
  check_run_id: number;
  sequence_id: string;
  attempt: number;
  /** FINAL or ATTEMPT. */
  result_type: string;
  has_failures: number;
  has_errors: number;
  is_degraded: number;
  over_max_response_time: number;
  is_cancelled: number;
  /** It did not run to its end: cancelled, dropped, or its service or agent died. */
  aborted: number;
  started_at: number;
  stopped_at: number;
  created_at: number;
  /** Microseconds; null: nothing was measured. */
  response_time_us: number | null;
  /** JSON: messages. */
  errors: string;
  /** JSON: what the check type adds. */
  details: string;
  /** JSON: ids. */
  error_group_ids: string;
  /** 1: it is counted in the roll-ups of its hour and day. */
  rolled_up: Generated<number>;
}

/** What the final results of a check in one location came to over an hour or a day of UTC. */
export interface RollUpRow {
  account_id: string;
  check_id: string;
  /** HOUR or DAY. */
  period: string;
  starts_at: number;
  location: string;
  passed: number;
  degraded: number;
  failed: number;
  errors: number;
  cancelled: number;
  /** JSON: response times that can be added up. */
  times: string;
}

/** A file that a run left beside its result. */
export interface ArtifactRow {
  id: string;
  account_id: string;
  result_id: string;
  /** screenshot or trace. */
  kind: string;
  name: string;
  content_type: string;
  bytes: number;
}

export interface ErrorGroupRow {
  id: string;
  account_id: string;
  check_id: string;
  error_hash: string;
  raw_message: string;
  cleaned_message: string;
  first_seen: number;
  last_seen: number;
  archived_until_next_event: number;
  archived_for_ever: number;
}

/** Ticks that nobody was there for. */
export interface MissedTicksRow {
  id: Generated<number>;
  account_id: string;
  check_id: string;
  first_tick: number;
  last_tick: number;
  ticks: number;
  recorded_at: number;
}

export interface TestSessionRow {
  id: string;
  account_id: string;
  name: string;
  status: string;
  started_at: number;
  stopped_at: number | null;
  /** JSON object. */
  metadata: string | null;
  /** 0: lists omit it, it creates no error group, and it is deleted soon after its end. */
  is_recorded: Generated<number>;
}

export interface EngineTables {
  check_sessions: CheckSessionRow;
  runs: RunRow;
  results: ResultRow;
  artifacts: ArtifactRow;
  result_rollups: RollUpRow;
  error_groups: ErrorGroupRow;
  missed_ticks: MissedTicksRow;
  test_sessions: TestSessionRow;
}
