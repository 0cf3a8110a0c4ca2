/** Exports the store's public interface to the rest of the service. */
export type * from './accounts.ts';
export type * from './alert-messages.ts';
export type * from './alerts.ts';
export type { AutomationRuleState } from './automation-rules.ts';
export type { ChangeCounts, TableName } from './change-counter.ts';
export { type CheckFilter, type CheckStatus, MAX_COUNTED } from './check-lists.ts';
export type { CheckOverview } from './check-overview.ts';
export type * from './checks.ts';
export type { StoreContext, TransactionOptions } from './context.ts';
export type { DashboardKey } from './dashboards.ts';
export type * from './documents.ts';
export { DatabaseFault, StoreConflict, UnknownCursor } from './errors.ts';
export type { HeartbeatRecord, HeartbeatSchedule } from './heartbeats.ts';
export type { IncidentSpan } from './incident-course.ts';
export { type CursorPage, type Listing, rowsOf, type Slice } from './lists.ts';
export { MAX_SAMPLE_AGE_MS, type QueueSample } from './location-queues.ts';
export type * from './maintenance-windows.ts';
export type { PendingNotice } from './notices.ts';
export type * from './outbox.ts';
export type { Presence, PrivateLocationKey, RunningAgent } from './private-locations.ts';
export type { DeploymentRecord, ProjectRecord, ProjectResource } from './projects.ts';
export type { ApiKey } from './secrets.ts';
export type { IncidentHistory, PageAccess } from './status-pages.ts';
export {
  openStore,
  type ResourceStore,
  type Store,
  type StoreDependencies,
  type StoreLocation,
  type StoreTransaction,
  storeWithin,
} from './store.ts';
export type { PageSubscription, Subscriber, SubscriberKind } from './subscribers.ts';
export type { Trigger } from './triggers.ts';
