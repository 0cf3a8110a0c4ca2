/** Defines the tables of the engine: sessions, runs, results, error groups and outgoing messages. Instants in ms since the epoch, lists as JSON. */
import type { Generated } from 'kysely';

/** A session: one execution of a check over its locations, also as part of a test session. */
export interface CheckSessionRow {
  id: string;
  account_id: string;
  /** Null if it belongs to a test suite instead of a stored check. */
  check_id: string | null;
  /** Set if it is part of a test session. */
  test_session_id: string | null;
  check_name: string;
  check_type: string;
  status: string;
  run_source: string;
  /** Its tick; null if started manually. A tick has one session. */
  scheduled_at: number | null;
  started_at: number;
  stopped_at: number | null;
  /** Its deadline while it is open; null afterwards. */
  ends_by: number | null;
  /** JSON: locations. */
  locations: string;
  /** JSON: settings, retries and variables for its runs while it is open; null afterwards. */
  plan: string | null;
  /** Set for the sessions of a started group, which run one after the other. */
  batch_id: string | null;
  batch_place: number | null;
  /** When its cancellation was requested; null if never. */
  cancelled_at: number | null;
}

/** An attempt that waits or runs. Its result replaces it. */
export interface RunRow {
  id: Generated<number>;
  account_id: string;
  session_id: string;
  /** ID of the first attempt; null if it is the first. */
  check_run_id: number | null;
  sequence_id: string;
  /** 0 for the first. */
  attempt: number;
  location: string;
  /** The pool of workers that may claim it: `public`, or `private/<slug>` of the account. */
  pool: string;
  /** HELD (it waits for an earlier session of its batch), QUEUED or RUNNING. */
  state: string;
  not_before: number;
  /** The claim deadline. */
  claim_by: number;
  /** Timeout in ms. */
  timeout_ms: number;
  /** When the first attempt started; null if it is the first. */
  first_started_at: number | null;
  /** Where the first attempt ran; null if it is the first. */
  first_location: string | null;
  claimed_by: string | null;
  claimed_at: number | null;
  lease_until: number | null;
  /** How often its worker was lost before. */
  losses: Generated<number>;
}

export interface ResultRow {
  id: string;
  account_id: string;
  /** Null if the session's is. */
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
  /** 1 if it did not finish: cancelled, dropped, or its service or agent died. */
  aborted: number;
  started_at: number;
  stopped_at: number;
  created_at: number;
  /** Microseconds; null if not measured. */
  response_time_us: number | null;
  /** JSON: messages. */
  errors: string;
  /** JSON: fields of the check type. */
  details: string;
  /** JSON: ids. */
  error_group_ids: string;
  /** 1 if it is counted in the roll-ups of its hour and day. */
  rolled_up: Generated<number>;
}

/** The aggregated final results of a check in one location over a UTC hour or day. */
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
  /** JSON: aggregated response times. */
  times: string;
}

/** The tests of a final result of a Playwright suite that has a verdict, outside test sessions. */
export interface SuiteRunRow {
  result_id: string;
  account_id: string;
  check_id: string;
  location: string;
  started_at: number;
  /** JSON: title, outcome and milliseconds of each test. */
  tests: string;
}

/** What pages show of a check over time. */
export interface CheckStatisticsRow {
  check_id: string;
  account_id: string;
  /** JSON: entries of its latest hours, and sums. */
  body: string;
  /** JSON: entries of its latest days. */
  days: string;
}

/** The last final result of a stored check in one location, outside test sessions, and the number of its results. */
export interface CheckLocationRow {
  check_id: string;
  /** Where the first attempt was planned. A retry may run elsewhere. */
  location: string;
  account_id: string;
  /** The last verdict: passing, degraded or failing; null if there were only monitor errors. */
  status: string | null;
  /** The result with that verdict, and the last one that passed. Their retention may be over. */
  result_id: string | null;
  good_result_id: string | null;
  started_at: number | null;
  /** Microseconds; null if not measured. */
  response_time_us: number | null;
  /** JSON: milliseconds by phase. */
  phases: string | null;
  /** JSON: the certificate that expires first, of those last presented. */
  certificate: string | null;
  passed: Generated<number>;
  degraded: Generated<number>;
  failed: Generated<number>;
  errors: Generated<number>;
}

/** A file of a result. */
export interface ArtifactRow {
  id: string;
  account_id: string;
  result_id: string;
  /** screenshot or trace. */
  kind: string;
  name: string;
  content_type: string;
  bytes: number;
  /** Host and folder that store the file; null if an earlier version stored it. */
  place: string | null;
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

/** The failures of test sessions with the error of a group, by environment. */
export interface TestSessionErrorRow {
  group_id: string;
  /** Empty if the test session names none. */
  environment: string;
  first_seen: number;
  last_seen: number;
}

/** Ticks during which no service was running. */
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
  /** 0 if lists omit it, it creates no error group, and it is deleted soon after its end. */
  is_recorded: Generated<number>;
}

export interface EngineTables {
  check_sessions: CheckSessionRow;
  runs: RunRow;
  results: ResultRow;
  artifacts: ArtifactRow;
  result_rollups: RollUpRow;
  suite_runs: SuiteRunRow;
  check_statistics: CheckStatisticsRow;
  check_locations: CheckLocationRow;
  error_groups: ErrorGroupRow;
  test_session_errors: TestSessionErrorRow;
  missed_ticks: MissedTicksRow;
  test_sessions: TestSessionRow;
}

/** An outgoing message, sent or unsent. */
export interface OutboxRow {
  /** Ascending in the order of insertion. */
  id: Generated<number>;
  account_id: string;
  /** Unique. Sent to receivers, so that they can detect duplicates. */
  idempotency_key: string;
  /** email, webhook, slack or sms. */
  kind: string;
  /** The recipient for display, without secrets. */
  recipient: string;
  /** The key that limits concurrent deliveries. */
  destination: string;
  /** 0 for alerts, 1 for messages to the subscribers of status pages, which wait for alerts. */
  priority: Generated<number>;
  /** Messages of a lane are sent in the order of insertion; null for any order. */
  lane: string | null;
  /** 1 if it is the first open message of its lane; 0 if it waits for another. */
  in_turn: Generated<number>;
  /** Size of the payload. */
  bytes: Generated<number>;
  /** JSON: the message while it is unsent; null afterwards, because it may contain secrets. */
  payload: string | null;
  /** QUEUED, SENDING, SENT or FAILED. */
  state: string;
  not_before: number;
  /** Number of started deliveries. */
  attempts: number;
  claimed_by: string | null;
  lease_until: number | null;
  last_error: string | null;
  created_at: number;
  /** When it was sent or failed. */
  ended_at: number | null;
  /** For an alert: the channel, the check and the kind of alert. */
  channel_id: number | null;
  check_id: string | null;
  alert_type: string | null;
  /** For an alert, JSON: the run that caused it; null if none did, or if the message has several alerts. */
  run: Generated<string | null>;
  /** ID that the receiver gave the message, to which later messages reply. */
  receipt: Generated<string | null>;
}

/** The alert state of a check. A check without a row has the initial state. */
export interface AlertStateRow {
  check_id: string;
  account_id: string;
  /** JSON: the state of the escalation. */
  state: string;
  /** When a reminder or an escalation by time is due; null if never. */
  due_at: number | null;
  /** Until when an alert waits for verdicts of dependencies; null if none waits. */
  held_until: number | null;
}

/** An alert that waits for others of its group or service, for one channel. */
export interface PendingAlertRow {
  /** Ascending in the order of insertion. */
  id: Generated<number>;
  account_id: string;
  channel_id: number;
  /** The group or service whose alerts share a message. */
  bundle: string;
  check_id: string;
  /** JSON: the ID and the facts of the alert. */
  alert: string;
  created_at: number;
  due_at: number;
}

/** An alert in a message with several alerts. */
export interface BundledAlertRow {
  message_id: number;
  check_id: string;
  alert_id: string;
  alert_type: string;
  /** JSON: the run that caused it; null if none did. */
  run: string | null;
}

export interface MessageTables {
  outbox: OutboxRow;
  alert_states: AlertStateRow;
  pending_alerts: PendingAlertRow;
  bundled_alerts: BundledAlertRow;
}
