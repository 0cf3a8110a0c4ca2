/** Defines the tables of accounts, of resources that users configure, and of their state. Instants in ms since the epoch, bodies as JSON. */
import type { Generated } from 'kysely';

interface AccountRow {
  id: string;
  name: string;
  /** JSON; null for the defaults. */
  alert_settings: string | null;
  detects_secrets: number;
  public_badges: Generated<number>;
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

interface CheckDependencyRow {
  check_id: string;
  depends_on_id: string;
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
  /** Null if an earlier version of the service stored the agent. */
  version: string | null;
}

/** A private location whose missing agents were alerted. */
interface LocationOutageRow {
  location_id: string;
  account_id: string;
  name: string;
  slug: string;
  /** JSON. */
  channel_ids: string;
  since: number;
  alerted_at: number;
}

/** A sample of the queue of a private location. */
interface LocationQueueSampleRow {
  location_id: string;
  /** A whole minute. */
  sampled_at: number;
  queue_size: number;
  oldest_ms: number;
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

interface DashboardRow extends DocumentRow<string> {
  /** The domain at which the dashboard is served, in lower case; null if none. */
  verified_domain: string | null;
}

/** The key that opens a private dashboard. */
interface DashboardKeyRow {
  dashboard_id: string;
  id: string;
  hash: string;
  masked: string;
  created_at: number;
}

/** An incident of a dashboard, with the times between which the dashboard shows it; null: no limit. */
interface DashboardIncidentRow extends Omit<DocumentRow<string>, 'unique_key'> {
  dashboard_id: string;
  starts_at: number | null;
  ends_at: number | null;
}

interface DeploymentTriggerRow {
  id: Generated<number>;
  account_id: string;
  check_id: string | null;
  group_id: number | null;
  /** ID of the repository at GitHub. */
  repo_id: string;
  body: string;
  created_at: number;
}

/** The webhook over which GitHub reports deployments to an account. */
interface GithubWebhookRow {
  account_id: string;
  secret: string;
  created_at: number;
}

/** A delivery that the webhook received. */
interface GithubDeliveryRow {
  account_id: string;
  id: string;
  received_at: number;
}

export interface ResourceTables {
  accounts: AccountRow;
  api_keys: ApiKeyRow;
  check_groups: CheckGroupRow;
  checks: CheckRow;
  check_tags: CheckTagRow;
  check_dependencies: CheckDependencyRow;
  check_group_tags: CheckGroupTagRow;
  check_listing: CheckListingRow;
  alert_subscriptions: AlertSubscriptionRow;
  triggers: TriggerRow;
  private_location_keys: PrivateLocationKeyRow;
  private_location_agents: PrivateLocationAgentRow;
  location_outages: LocationOutageRow;
  location_queue_samples: LocationQueueSampleRow;
  alert_channels: DocumentRow<Generated<number>>;
  maintenance_windows: MaintenanceWindowRow;
  client_certificates: Omit<DocumentRow<string>, 'unique_key'>;
  snippets: DocumentRow<Generated<number>>;
  status_page_services: DocumentRow<string>;
  dashboards: DashboardRow;
  dashboard_keys: DashboardKeyRow;
  dashboard_incidents: DashboardIncidentRow;
  deployment_triggers: DeploymentTriggerRow;
  github_webhooks: GithubWebhookRow;
  github_deliveries: GithubDeliveryRow;
  variables: DocumentRow<string>;
  private_locations: DocumentRow<string>;
}

interface HeartbeatRow {
  check_id: string;
  account_id: string;
  /** The secret part of the ping URL. */
  token: string;
  /** WAITING for the first ping. */
  state: 'WAITING' | 'UP' | 'DOWN';
  period_ms: number;
  grace_ms: number;
  last_ping_at: number | null;
  /** When the next ping is overdue; null if none is expected. */
  due_at: number | null;
  /** When its last result was recorded. */
  recorded_at: number | null;
  /** Runs that have started and not ended, and the log of the job, as JSON; null: none. */
  job: string | null;
  /** When the first of these runs is overdue; null if none is. */
  run_due_at: number | null;
  /** A cron expression, which replaces the period; null: none. */
  cron: string | null;
  /** IANA name of the time zone of `cron`. */
  timezone: string | null;
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

interface ProjectResourceRow {
  project_id: string;
  type: string;
  logical_id: string;
  /** The ID of the resource; null if it is part of another one, such as a subscription. */
  physical_id: string | null;
}

interface ProjectDeploymentRow {
  id: string;
  account_id: string;
  /** The logical ID of the project, which may have been deleted since. */
  project: string;
  /** JSON: the project and its changes. */
  result: string;
  created_at: number;
}

export interface ProjectTables {
  projects: DocumentRow<string>;
  project_resources: ProjectResourceRow;
  project_deployments: ProjectDeploymentRow;
}

export interface CheckTypeTables {
  heartbeats: HeartbeatRow;
  code_bundles: CodeBundleRow;
}

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
  /** JSON: the repetitions that were moved or cancelled; null: none. */
  exceptions: string | null;
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
