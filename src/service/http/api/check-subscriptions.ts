/** Stores and presents the alert channels that a check or group is subscribed to. */
import type { BodyOf, createDnsCheck } from '../../../contract/index.ts';
import type { StoreTransaction, Subscription, SubscriptionTarget } from '../../store/index.ts';

type RequestedSubscriptions = BodyOf<typeof createDnsCheck>['alertChannelSubscriptions'];

/** Subscribes a new check or group to the requested channels and, with `toAll`, to every other existing channel. */
export async function createSubscriptions(
  tx: StoreTransaction,
  accountId: string,
  target: SubscriptionTarget,
  { requested, toAll }: { readonly requested: RequestedSubscriptions; readonly toAll: boolean },
): Promise<void> {
  if (requested) await replaceSubscriptions(tx, accountId, target, requested);
  if (toAll) await tx.subscriptions.subscribeToAll(accountId, target);
}

export function replaceSubscriptions(
  tx: StoreTransaction,
  accountId: string,
  target: SubscriptionTarget,
  requested: NonNullable<RequestedSubscriptions>,
): Promise<void> {
  const channels = requested.map(({ alertChannelId: channelId, activated }) => ({ channelId, activated }));
  return tx.subscriptions.set(accountId, target, channels);
}

export const presentSubscriptions = (subscriptions: readonly Subscription[]) =>
  subscriptions.map(({ channelId, activated }) => ({ alertChannelId: channelId, activated }));
