/** The tables of what became of maintenance windows. Instants in ms since the epoch. */

/** What of a window is not written in it. */
export interface MaintenanceStateRow {
  window_id: number;
  account_id: string;
  /** When a person started it; null: nobody has since it was last ended. */
  started_at: number | null;
  /** Occurrences that begin until then are over, as a person ended them; null: none is. */
  ended_through: number | null;
  /** Since when it is known to be open; null: it is not. */
  open_since: number | null;
  /** Reminders that were due until then are dealt with. */
  told_until: number;
}

/** Another one after every change of an account's windows or of what became of them. */
interface MaintenanceVersionRow {
  account_id: string;
  version: string;
}

/** A time in which a window was open, of one that was ended by hand, changed or deleted since. */
interface MaintenancePastRow {
  id: string;
  account_id: string;
  starts_at: number;
  ends_at: number;
  /** JSON, what it did to checks and alerts. */
  effects: string;
}

export interface MaintenanceTables {
  maintenance_states: MaintenanceStateRow;
  maintenance_versions: MaintenanceVersionRow;
  maintenance_past: MaintenancePastRow;
}
