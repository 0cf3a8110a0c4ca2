/** Stores and presents the alert channels that a check or group is subscribed to. */
import type { BodyOf, createDnsCheck, ResponseOf } from '../../../contract/index.ts';
import type { AlertChannelRecord, Store, Subscription, SubscriptionTarget } from '../../store/index.ts';

type RequestedSubscriptions = BodyOf<typeof createDnsCheck>['alertChannelSubscriptions'];
type Channels = NonNullable<ResponseOf<typeof createDnsCheck>['alertChannels']>;
type Webhook = NonNullable<Channels['webhook']>;

/** The part of the store, or of a transaction, that is needed here. */
type SubscriptionStore = Pick<Store, 'subscriptions'>;

/** Subscribes a new check or group to the requested channels and, with `toAll`, to every other existing channel. */
export async function createSubscriptions(
  store: SubscriptionStore,
  accountId: string,
  target: SubscriptionTarget,
  requested: RequestedSubscriptions,
  toAll: boolean,
): Promise<void> {
  if (requested) await replaceSubscriptions(store, accountId, target, requested);
  if (toAll) await store.subscriptions.subscribeToAll(accountId, target);
}

/** Replaces the subscriptions of a check or group. */
export function replaceSubscriptions(
  store: SubscriptionStore,
  accountId: string,
  target: SubscriptionTarget,
  requested: NonNullable<RequestedSubscriptions>,
): Promise<void> {
  const channels = requested.map(({ alertChannelId, activated }) => ({
    channelId: alertChannelId,
    activated,
  }));
  return store.subscriptions.set(accountId, target, channels);
}

export const presentSubscriptions = (subscriptions: readonly Subscription[]) =>
  subscriptions.map(({ channelId, activated }) => ({ alertChannelId: channelId, activated }));

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function presentPairs(value: unknown): Webhook['headers'] {
  if (!Array.isArray(value)) return undefined;
  return value.map((item: unknown) => {
    const { key, value: visible, locked } = (item ?? {}) as Record<string, unknown>;
    return withoutUndefined({
      key: asText(key),
      value: locked === true ? undefined : asText(visible),
      locked: locked === true,
    });
  });
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
const withoutUndefined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;

/** Returns a channel's config for responses, without secrets and locked values. */
export function maskConfig(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { webhookSecret: _, ...visible } = config;
  return {
    ...visible,
    ...withoutUndefined({
      headers: presentPairs(config.headers),
      queryParameters: presentPairs(config.queryParameters),
    }),
  };
}

type Config = Readonly<Record<string, unknown>>;

/** The nth pair with a name takes the value of the nth stored pair with it. An empty value counts as omitted. */
function restorePairs(sent: unknown, before: unknown): unknown {
  if (!Array.isArray(sent) || !Array.isArray(before)) return sent;
  const previous = before as readonly Config[];
  const all = sent as readonly (Config | null)[];
  return all.map((pair, index) => {
    if (pair?.locked !== true || (pair.value !== undefined && pair.value !== '')) return pair;
    const nth = all.slice(0, index).filter((other) => other?.key === pair.key).length;
    const stored = previous.filter(({ key }) => key === pair.key)[nth];
    return stored?.locked === true ? stored : pair;
  });
}

/** Restores the signing secret and locked values that responses omit, so that a client can send a config back. */
export function restoreConfig(sent: Config, before: Config): Record<string, unknown> {
  const { webhookSecret } = before;
  return {
    ...(webhookSecret === undefined ? {} : { webhookSecret }),
    ...sent,
    ...(sent.headers === undefined ? {} : { headers: restorePairs(sent.headers, before.headers) }),
    ...(sent.queryParameters === undefined
      ? {}
      : { queryParameters: restorePairs(sent.queryParameters, before.queryParameters) }),
  };
}

/** Returns the specification's `alertChannels`: the first active channel of each type. */
export function presentChannels(
  subscriptions: readonly Subscription[],
  channels: readonly AlertChannelRecord[],
): Channels {
  const alerted = subscriptions
    .filter(({ activated }) => activated)
    .flatMap(({ channelId }) => channels.filter(({ id }) => id === channelId));
  const first = (type: string) => alerted.find(({ body }) => body.type === type)?.body.config;
  const [email, webhook, slack, sms] = ['EMAIL', 'WEBHOOK', 'SLACK', 'SMS'].map(first);
  return {
    ...(email ? { email: withoutUndefined({ address: asText(email.address) }) } : {}),
    ...(webhook
      ? {
          webhook: withoutUndefined({
            url: asText(webhook.url),
            name: asText(webhook.name),
            method: asText(webhook.method),
            headers: presentPairs(webhook.headers),
            queryParameters: presentPairs(webhook.queryParameters),
          }),
        }
      : {}),
    ...(slack ? { slack: withoutUndefined({ url: asText(slack.url) }) } : {}),
    ...(sms ? { sms: withoutUndefined({ number: asText(sms.number), name: asText(sms.name) }) } : {}),
  };
}
