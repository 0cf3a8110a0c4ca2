/** The tables of accounts and of what users configure. Instants are milliseconds since the epoch, bodies JSON as text. */
import type { Generated } from 'kysely';

interface AccountRow {
  id: string;
  name: string;
  /** JSON; null: the defaults. */
  alert_settings: string | null;
  detects_secrets: number;
  created_at: number;
}

interface ApiKeyRow {
  id: string;
  account_id: string;
  name: string;
  /** Hex SHA-256 of the key. */
  hash: string;
  /** Its first characters, to know it by. */
  masked: string;
  created_at: number;
  last_used_at: number | null;
}

interface CheckGroupRow {
  id: Generated<number>;
  account_id: string;
  activated: number;
  body: string;
  created_at: number;
  updated_at: number | null;
}

interface CheckRow {
  id: string;
  account_id: string;
  type: string;
  name: string;
  /** The name in lower case, for searching alike on both databases. */
  name_folded: string;
  activated: number;
  muted: number;
  group_id: number | null;
  /** Minutes between two runs; 0: every frequency_offset seconds. */
  frequency: number;
  frequency_offset: number | null;
  /** The next instant on the check's grid; null: not scheduled. */
  next_run_at: number | null;
  /** Which of its locations is next where they take turns. */
  location_cursor: Generated<number>;
  /** What its last concluded session said: passing, failing, degraded; null: none yet. */
  status: string | null;
  body: string;
  created_at: number;
  updated_at: number | null;
}

interface CheckTagRow {
  check_id: string;
  account_id: string;
  tag: string;
  /** Of the check. */
  created_at: number;
}

interface CheckGroupTagRow {
  group_id: number;
  account_id: string;
  tag: string;
}

/** What lists of checks filter by, in narrow rows that no tick changes. */
interface CheckListingRow {
  check_id: string;
  account_id: string;
  type: string;
  name_folded: string;
  created_at: number;
}

interface AlertSubscriptionRow {
  account_id: string;
  channel_id: number;
  check_id: string | null;
  group_id: number | null;
  activated: number;
}

interface TriggerRow {
  id: Generated<number>;
  account_id: string;
  check_id: string | null;
  group_id: number | null;
  token: string;
  called_at: number | null;
  created_at: number;
  updated_at: number | null;
}

interface PrivateLocationKeyRow {
  id: string;
  account_id: string;
  location_id: string;
  hash: string;
  masked: string;
  created_at: number;
}

interface PrivateLocationAgentRow {
  location_id: string;
  agent_id: string;
  seen_at: number;
}

/** A resource that is read and written as a whole. */
export interface DocumentRow<Id> {
  id: Id;
  account_id: string;
  /** The field that two of them must not share (a slug, a variable's key); null: none. */
  unique_key: string | null;
  body: string;
  created_at: number;
  updated_at: number | null;
}

/** A maintenance window, with what its list filters by. */
interface MaintenanceWindowRow extends DocumentRow<Generated<number>> {
  starts_at: number;
  ends_at: number;
}

export interface ResourceTables {
  accounts: AccountRow;
  api_keys: ApiKeyRow;
  check_groups: CheckGroupRow;
  checks: CheckRow;
  check_tags: CheckTagRow;
  check_group_tags: CheckGroupTagRow;
  check_listing: CheckListingRow;
  alert_subscriptions: AlertSubscriptionRow;
  triggers: TriggerRow;
  private_location_keys: PrivateLocationKeyRow;
  private_location_agents: PrivateLocationAgentRow;
  alert_channels: DocumentRow<Generated<number>>;
  maintenance_windows: MaintenanceWindowRow;
  snippets: DocumentRow<Generated<number>>;
  status_page_services: DocumentRow<string>;
  dashboards: DocumentRow<string>;
  variables: DocumentRow<string>;
  private_locations: DocumentRow<string>;
}
