/** Defines the tables of particular check types. Instants and durations in ms. */

interface HeartbeatRow {
  check_id: string;
  account_id: string;
  /** The secret part of the ping URL. */
  token: string;
  /** WAITING (for the first ping), UP or DOWN. */
  state: string;
  period_ms: number;
  grace_ms: number;
  last_ping_at: number | null;
  /** When the next ping is overdue; null if none is expected. */
  due_at: number | null;
  /** When its last result was recorded. */
  recorded_at: number | null;
}

interface CodeBundleRow {
  account_id: string;
  /** Hex SHA-256 of the archive. */
  id: string;
  bytes: number;
  /** A ZIP archive in Base64. */
  archive: string;
  /** When it was last sent. */
  created_at: number;
}

export interface CheckTypeTables {
  heartbeats: HeartbeatRow;
  code_bundles: CodeBundleRow;
}
