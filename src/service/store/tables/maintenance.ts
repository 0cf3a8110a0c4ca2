/** Defines the tables for the state of maintenance windows. Instants in ms since the epoch. */

/** The state of a window, apart from its body. */
export interface MaintenanceStateRow {
  window_id: number;
  account_id: string;
  /** When a user started it; null if nobody did since it last ended. */
  started_at: number | null;
  /** Occurrences that begin until then were ended by a user; null if none. */
  ended_through: number | null;
  /** Since when it is known to be open; null if it is not. */
  open_since: number | null;
  /** Reminders due until then are handled. */
  told_until: number;
}

/** Changes whenever an account's windows or their state change. */
interface MaintenanceVersionRow {
  account_id: string;
  version: string;
}

/** A past period of a window that was ended manually, changed or deleted since. */
interface MaintenancePastRow {
  id: string;
  account_id: string;
  starts_at: number;
  ends_at: number;
  /** JSON: its effects on checks and alerts. */
  effects: string;
}

export interface MaintenanceTables {
  maintenance_states: MaintenanceStateRow;
  maintenance_versions: MaintenanceVersionRow;
  maintenance_past: MaintenancePastRow;
}
