/** Which channels a check or a group alerts: as requests set it and as answers tell it. */
import type { BodyOf, createDnsCheck, ResponseOf } from '../../../contract/index.ts';
import type { AlertChannelRecord, Store, Subscription, SubscriptionTarget } from '../../store/index.ts';

type Requested = BodyOf<typeof createDnsCheck>['alertChannelSubscriptions'];
type Channels = NonNullable<ResponseOf<typeof createDnsCheck>['alertChannels']>;
type Webhook = NonNullable<Channels['webhook']>;

/** The part of the store, or of a transaction, that this needs. */
type Subscribing = Pick<Store, 'subscriptions'>;

/** Subscribes a new check or group: to what it names and, with `toAll`, to every other channel there is now. */
export async function subscribeNew(
  store: Subscribing,
  accountId: string,
  target: SubscriptionTarget,
  requested: Requested,
  toAll: boolean,
): Promise<void> {
  if (requested) await resubscribe(store, accountId, target, requested);
  if (toAll) await store.subscriptions.subscribeToAll(accountId, target);
}

/** Replaces what a check or group is subscribed to. */
export function resubscribe(
  store: Subscribing,
  accountId: string,
  target: SubscriptionTarget,
  requested: NonNullable<Requested>,
): Promise<void> {
  const channels = requested.map(({ alertChannelId, activated }) => ({
    channelId: alertChannelId,
    activated,
  }));
  return store.subscriptions.set(accountId, target, channels);
}

export const shownSubscriptions = (subscriptions: readonly Subscription[]) =>
  subscriptions.map(({ channelId, activated }) => ({ alertChannelId: channelId, activated }));

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function pairs(value: unknown): Webhook['headers'] {
  if (!Array.isArray(value)) return undefined;
  return value.map((item: unknown) => {
    const { key, value: shown, locked } = (item ?? {}) as Record<string, unknown>;
    return defined({
      key: text(key),
      value: locked === true ? undefined : text(shown),
      locked: locked === true,
    });
  });
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;

/** A channel's config as answers show it: locked values are left out. */
export function shownConfig(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { webhookSecret: _, ...shown } = config;
  return {
    ...shown,
    ...defined({ headers: pairs(config.headers), queryParameters: pairs(config.queryParameters) }),
  };
}

type Config = Readonly<Record<string, unknown>>;

/** Of several of one name the nth stands for the nth; an empty value is none, as everywhere that something is locked. */
function keptPairs(sent: unknown, before: unknown): unknown {
  if (!Array.isArray(sent) || !Array.isArray(before)) return sent;
  const known = before as readonly Config[];
  const all = sent as readonly (Config | null)[];
  return all.map((pair, place) => {
    if (pair?.locked !== true || (pair.value !== undefined && pair.value !== '')) return pair;
    const nth = all.slice(0, place).filter((other) => other?.key === pair.key).length;
    const kept = known.filter(({ key }) => key === pair.key)[nth];
    return kept?.locked === true ? kept : pair;
  });
}

/** A config that is sent back as it was shown keeps what was not shown: the signing secret and locked values. */
export function keptConfig(sent: Config, before: Config): Record<string, unknown> {
  const { webhookSecret } = before;
  return {
    ...(webhookSecret === undefined ? {} : { webhookSecret }),
    ...sent,
    ...(sent.headers === undefined ? {} : { headers: keptPairs(sent.headers, before.headers) }),
    ...(sent.queryParameters === undefined
      ? {}
      : { queryParameters: keptPairs(sent.queryParameters, before.queryParameters) }),
  };
}

/** The specification's `alertChannels`: of each kind the first channel that is told. */
export function shownChannels(
  subscriptions: readonly Subscription[],
  channels: readonly AlertChannelRecord[],
): Channels {
  const told = subscriptions
    .filter(({ activated }) => activated)
    .flatMap(({ channelId }) => channels.filter(({ id }) => id === channelId));
  const first = (type: string) => told.find(({ body }) => body.type === type)?.body.config;
  const [email, webhook, slack, sms] = ['EMAIL', 'WEBHOOK', 'SLACK', 'SMS'].map(first);
  return {
    ...(email ? { email: defined({ address: text(email.address) }) } : {}),
    ...(webhook
      ? {
          webhook: defined({
            url: text(webhook.url),
            name: text(webhook.name),
            method: text(webhook.method),
            headers: pairs(webhook.headers),
            queryParameters: pairs(webhook.queryParameters),
          }),
        }
      : {}),
    ...(slack ? { slack: defined({ url: text(slack.url) }) } : {}),
    ...(sms ? { sms: defined({ number: text(sms.number), name: text(sms.name) }) } : {}),
  };
}
