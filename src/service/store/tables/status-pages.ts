/** Defines the tables of status pages, incidents and subscribers. Instants in ms since the epoch, bodies as JSON. */
import type { Generated } from 'kysely';
import type { DocumentRow } from './resources.ts';

interface StatusPageRow extends DocumentRow<string> {
  /** The domain at which the page is served, in lower case; null if none. */
  verified_domain: string | null;
}

interface IncidentRow extends DocumentRow<string> {
  opened_at: number | null;
  /** Null if open. */
  resolved_at: number | null;
  /** Its severities and services over time, as JSON. */
  course: string | null;
}

/** The open incident of a check; its ID is null while it is being created. */
interface AutomaticIncidentRow {
  check_id: string;
  account_id: string;
  incident_id: string | null;
}

interface AutomationRuleRow extends Omit<DocumentRow<string>, 'unique_key'> {
  page_id: string;
  /** The open incident, or the one that a person resolved or deleted while its checks still fail; null: none. */
  incident_id: string | null;
  /** When the last incident ended because its checks recovered; null: never. */
  ended_at: number | null;
}

/** A failing check for which a rule keeps its incident open. */
interface AutomationRuleFailureRow {
  rule_id: string;
  check_id: string;
  account_id: string;
}

interface StatusPageAccessRow {
  page_id: string;
  is_private: number;
  white_label: number;
  /** Hex SHA-256 of the key; null if there is none. */
  key_hash: string | null;
}

interface PageSubscriberRow {
  id: string;
  page_id: string;
  kind: 'EMAIL' | 'WEBHOOK';
  address: string;
  /** The canonical form of the address, which identifies the subscriber. */
  canonical: string;
  /** Hex SHA-256 of the confirmation token; null if used. */
  confirm_hash: string | null;
  /** When a request last sent a message to the address. */
  asked_at: number;
  confirmed_at: number | null;
  /** Hash of the key that the page was opened with; null for a public page. */
  key_hash: string | null;
}

/** A notice to subscribers that do not all have a message in the outbox yet. */
interface NoticeRow {
  id: Generated<number>;
  account_id: string;
  /** JSON: the notice. */
  body: string;
  /** ID of the last subscriber who has a message; empty if none has. */
  last_subscriber: string;
  /** Number of batches so far. */
  batches: number;
  created_at: number;
}

interface SubscriptionRequestRow {
  id: string;
  page_id: string;
  /** Keyed hashes of the client, its network and the mailbox. */
  source: string;
  network: string;
  /** Null if nothing was sent, because the mailbox had a message just before. */
  mailbox: string | null;
  asked_at: number;
}

interface ServiceSettingRow {
  name: string;
  value: string;
}

export interface PageTables {
  status_pages: StatusPageRow;
  incidents: IncidentRow;
  automatic_incidents: AutomaticIncidentRow;
  automation_rules: AutomationRuleRow;
  automation_rule_failures: AutomationRuleFailureRow;
  status_page_access: StatusPageAccessRow;
  page_subscribers: PageSubscriberRow;
  notices: NoticeRow;
  subscription_requests: SubscriptionRequestRow;
  service_settings: ServiceSettingRow;
}
