/** The tables of what leaves the machine and of what is alerted. Instants in ms since the epoch. */
import type { Generated } from 'kysely';

/** A message that is to leave the machine, or has. */
export interface OutboxRow {
  /** In the order of their writing. */
  id: Generated<number>;
  account_id: string;
  /** No two messages share it; receivers are given it, so that they know one that comes twice. */
  idempotency_key: string;
  /** email, webhook, slack or sms. */
  kind: string;
  /** Whom it is for, as people may see it: no secret is in it. */
  recipient: string;
  /** What it takes turns by: few at once leave for the same destination. */
  destination: string;
  /** Messages of a lane leave in the order of their writing; null: whenever. */
  lane: string | null;
  /** 1: no message of its lane is before it; 0: it waits for the end of another. */
  in_turn: Generated<number>;
  /** How long the payload was. */
  bytes: Generated<number>;
  /** JSON: the message, while it is to be sent; null once it has been sent or given up, as secrets may be in it. */
  payload: string | null;
  /** QUEUED, SENDING, SENT or FAILED. */
  state: string;
  not_before: number;
  /** Deliveries that were begun. */
  attempts: number;
  claimed_by: string | null;
  lease_until: number | null;
  last_error: string | null;
  created_at: number;
  /** When it was sent or given up. */
  ended_at: number | null;
  /** What it is about, where it is an alert: the channel, the check, the kind of alert. */
  channel_id: number | null;
  check_id: string | null;
  alert_type: string | null;
}

/** Where the alerts of a check stand. No row: nothing is wrong with it. */
export interface AlertStateRow {
  check_id: string;
  account_id: string;
  /** JSON: the state of the escalation. */
  state: string;
  /** When a reminder or an escalation by time is due; null: never. */
  due_at: number | null;
}

export interface MessageTables {
  outbox: OutboxRow;
  alert_states: AlertStateRow;
}
