/** Defines the resources that are stored as documents: table, key and unique field. */
import type {
  BodyOf,
  createAlertChannel,
  createDashboard,
  createMaintenanceWindow,
  createPrivateLocation,
  createService,
  createSnippet,
  createStatusPage,
  createVariable,
  getIncident,
  ResponseOf,
} from '../../contract/index.ts';
import { type Collection, collection, type StoredResource } from './collection.ts';
import type { StoreContext } from './context.ts';

/** Without `subscriptions`, which have their own table. */
export type AlertChannelBody = Omit<BodyOf<typeof createAlertChannel>, 'subscriptions'>;
export type SnippetBody = BodyOf<typeof createSnippet>;
export type VariableBody = BodyOf<typeof createVariable>;
export type DashboardBody = BodyOf<typeof createDashboard>;
export type PrivateLocationBody = BodyOf<typeof createPrivateLocation>;
export type ServiceBody = BodyOf<typeof createService>;
export type MaintenanceWindowBody = BodyOf<typeof createMaintenanceWindow>;

/** A card of a status page, with the fields that the service adds. */
export interface StatusPageCard {
  readonly id: string;
  readonly name?: string;
  readonly services: readonly { readonly id: string }[];
  /** Ms since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number | null;
}
/** The request body of the page, with IDs and timestamps in its cards. */
export type StatusPageBody = Omit<BodyOf<typeof createStatusPage>, 'cards'> & {
  readonly cards: readonly StatusPageCard[];
};

type Incident = ResponseOf<typeof getIncident>;
/** The incident with its updates, newest first, and the IDs of its services. */
export type IncidentBody = Pick<Incident, 'name' | 'severity' | 'lastUpdateStatus' | 'incidentUpdates'> & {
  readonly services: readonly { readonly id: string }[];
};

export type AlertChannelRecord = StoredResource<number, AlertChannelBody>;
export type SnippetRecord = StoredResource<number, SnippetBody>;
export type VariableRecord = StoredResource<string, VariableBody>;
export type DashboardRecord = StoredResource<string, DashboardBody>;
export type PrivateLocationRecord = StoredResource<string, PrivateLocationBody>;
export type ServiceRecord = StoredResource<string, ServiceBody>;
export type StatusPageRecord = StoredResource<string, StatusPageBody>;
export type IncidentRecord = StoredResource<string, IncidentBody>;
export type MaintenanceWindowRecord = StoredResource<number, MaintenanceWindowBody>;

export function documents(context: StoreContext) {
  const alertChannels: Collection<number, AlertChannelBody> = collection(context, {
    table: 'alert_channels',
    ids: 'number',
  });
  const snippets: Collection<number, SnippetBody> = collection(context, { table: 'snippets', ids: 'number' });
  const variables: Collection<string, VariableBody> = collection(context, {
    table: 'variables',
    ids: 'uuid',
    uniqueKey: ({ key }) => key,
  });
  const dashboards: Collection<string, DashboardBody> = collection(context, {
    table: 'dashboards',
    ids: 'uuid',
    uniqueKey: ({ customUrl }) => customUrl,
  });
  const services: Collection<string, ServiceBody> = collection(context, {
    table: 'status_page_services',
    ids: 'uuid',
  });
  return { alertChannels, snippets, variables, dashboards, services };
}
