/** Defines the tables of outgoing messages and alert states. Instants in ms since the epoch. */
import type { Generated } from 'kysely';

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
}

/** The alert state of a check. A check without a row has the initial state. */
export interface AlertStateRow {
  check_id: string;
  account_id: string;
  /** JSON: the state of the escalation. */
  state: string;
  /** When a reminder or an escalation by time is due; null if never. */
  due_at: number | null;
}

export interface MessageTables {
  outbox: OutboxRow;
  alert_states: AlertStateRow;
}
