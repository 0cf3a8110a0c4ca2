/** Exports the store's public interface to the rest of the service. */
export type { Account, AccountAlertSettings } from './accounts.ts';
export type { ApiKey } from './api-keys.ts';
export type { ChangeCounts, TableName } from './change-counter.ts';
export type { CheckGroupBody, CheckGroupRecord } from './check-groups.ts';
export { type CheckFilter, type CheckStatus, MAX_COUNTED } from './check-lists.ts';
export type {
  ApiCheckBody,
  CheckBodies,
  CheckRecord,
  CommonBody,
  Scheduling,
  TypedCheckBody,
} from './checks.ts';
export type { Collection, StoredResource } from './collection.ts';
export type { CursorPage, Slice, StoreContext, TransactionOptions } from './context.ts';
export type * from './documents.ts';
export { StoreConflict, UnknownCursor } from './errors.ts';
export { DatabaseFault } from './faults.ts';
export type { HeartbeatRecord } from './heartbeats.ts';
export { type Listing, rowsOf } from './listing.ts';
export type {
  InstantFilter,
  MaintenanceEffects,
  MaintenanceState,
  MaintenanceWindowWithState,
  PastMaintenance,
  WindowFilter,
} from './maintenance-windows.ts';
export type { NewOutboxMessage, OutboxFilter, OutboxMessage, OutboxState } from './outbox.ts';
export type { PageAccess } from './page-access.ts';
export type { Presence, PrivateLocationKey } from './private-locations.ts';
export {
  openStore,
  type Store,
  type StoreDependencies,
  type StoreLocation,
  type StoreTransaction,
} from './store.ts';
export type { Subscriber, SubscriberKind } from './subscribers.ts';
export type { Subscription, SubscriptionTarget } from './subscriptions.ts';
export type { Trigger } from './triggers.ts';
