/** Defines the tables of accounts and of resources that users configure. Instants in ms since the epoch, bodies as JSON. */
import type { Generated } from 'kysely';

interface AccountRow {
  id: string;
  name: string;
  /** JSON; null for the defaults. */
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
  /** The first characters, to identify the key. */
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
  /** The name in lower case, so that both databases search alike. */
  name_folded: string;
  activated: number;
  muted: number;
  group_id: number | null;
  /** Minutes between two runs; 0 for every frequency_offset seconds. */
  frequency: number;
  frequency_offset: number | null;
  /** The next tick; null if not scheduled. */
  next_run_at: number | null;
  /** Index of the next location if locations alternate. */
  location_cursor: Generated<number>;
  /** The verdict of its last finished session: passing, failing or degraded; null if none yet. */
  status: string | null;
  body: string;
  created_at: number;
  updated_at: number | null;
}

interface CheckTagRow {
  check_id: string;
  account_id: string;
  tag: string;
  /** The creation time of the check. */
  created_at: number;
}

interface CheckGroupTagRow {
  group_id: number;
  account_id: string;
  tag: string;
}

/** The columns that lists of checks filter by, in narrow rows that ticks do not change. */
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
  /** A value that must be unique within the account (a slug, a variable's key); null if none. */
  unique_key: string | null;
  body: string;
  created_at: number;
  updated_at: number | null;
}

/** A maintenance window, with the columns that its list filters by. */
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
