/** The tables beside checks that certain types need. Instants and spans are milliseconds. */

interface HeartbeatRow {
  check_id: string;
  account_id: string;
  /** The secret part of the URL that is pinged. */
  token: string;
  /** WAITING (for the first ping), UP or DOWN. */
  state: string;
  period_ms: number;
  grace_ms: number;
  last_ping_at: number | null;
  /** When the next ping is missed; null: none is waited for. */
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
