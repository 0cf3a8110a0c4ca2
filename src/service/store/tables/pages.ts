/** The tables behind status pages and the links that people open. Instants are milliseconds since the epoch. */
import type { DocumentRow } from './resources.ts';

interface StatusPageRow extends DocumentRow<string> {
  /** In lower case; null: none. */
  custom_domain: string | null;
}

interface IncidentRow extends DocumentRow<string> {
  opened_at: number | null;
  /** Null: it is open. */
  resolved_at: number | null;
}

/** Which incident a check has open; null while it is being made. */
interface AutomaticIncidentRow {
  check_id: string;
  account_id: string;
  incident_id: string | null;
}

interface StatusPageAccessRow {
  page_id: string;
  is_private: number;
  white_label: number;
  /** Hex SHA-256 of the key; null: there is none. */
  key_hash: string | null;
}

interface PageSubscriberRow {
  id: string;
  page_id: string;
  /** EMAIL or WEBHOOK. */
  kind: string;
  address: string;
  /** The form of the address by which subscribers are told apart. */
  canonical: string;
  /** Hex SHA-256 of the token that confirms; null: it was used. */
  confirm_hash: string | null;
  /** When the address was last written to because somebody asked. */
  asked_at: number;
  confirmed_at: number | null;
  /** The key that the page was read with, as its access holds it; null: it was open. */
  key_hash: string | null;
}

interface SubscriptionRequestRow {
  id: string;
  page_id: string;
  /** Keyed hashes: of the client, of the wider network that it is in, and of the mailbox that was written to. */
  source: string;
  network: string;
  /** Null: nothing was written, as the mailbox had a message just before. */
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
  status_page_access: StatusPageAccessRow;
  page_subscribers: PageSubscriberRow;
  subscription_requests: SubscriptionRequestRow;
  service_settings: ServiceSettingRow;
}
