/** Masks secrets in responses, and restores them when a client sends a response back. */

import type { JsonObject } from '../../../base/object.ts';
import { isUrl } from '../../../base/parse-url.ts';
import {
  type BodyOf,
  createAlertChannel,
  type createApiCheck,
  type createBrowserCheck,
  type createCheckGroup,
  type createDnsCheck,
  type JsonSchema,
  type ResponseOf,
  type Violation,
} from '../../../contract/index.ts';
import { mapCredentials, maskCredential } from '../../../contract/mask-credential.ts';
import { mapSecrets } from '../../../contract/secrets.ts';
import type { AlertChannelRecord, Subscription } from '../../store/index.ts';
import { invalid, violation } from './problem.ts';

type Variables = BodyOf<typeof createBrowserCheck>['environmentVariables'];
type ApiRequest = BodyOf<typeof createApiCheck>['request'];
type Auth = ApiRequest['basicAuth'];
type Defaults = BodyOf<typeof createCheckGroup>['apiCheckDefaults'];
/** An API check's request, or the defaults of a group. */
interface Authenticated {
  readonly url?: string;
  readonly basicAuth?: Auth;
  readonly headers?: ApiRequest['headers'];
  readonly queryParameters?: ApiRequest['queryParameters'];
}
type Channels = NonNullable<ResponseOf<typeof createDnsCheck>['alertChannels']>;

/** Returns a stored body for responses: its schema says how they represent each secret. */
export const maskSecrets = <T>(schema: JsonSchema | undefined, body: T): T =>
  mapSecrets(schema ?? {}, body, ({ kind, value, isHidden }) => {
    if (!isHidden) return value;
    if (kind === 'omitted') return undefined;
    if (kind === 'emptied') return '';
    return kind === 'masked' && typeof value === 'string' ? maskCredential(value) : value;
  }) as T;

/**
 * Restores the values of hidden variables that were sent back empty. They stay hidden unless the client says otherwise:
 * then it must send the value, and `Problem` 400 is thrown without one.
 */
export function restoreVariables<T extends Variables>(variables: T, before: Variables): T {
  if (!variables || !before) return variables;
  return variables.map((variable, index) => {
    const previous = before.find(({ key }) => key === variable.key);
    if (!(previous?.secret || previous?.locked) || variable.value !== '') return variable;
    const restored = { ...previous, ...variable, value: previous.value };
    if (restored.secret || restored.locked) return restored;
    const path = ['environmentVariables', index, 'value'];
    throw invalid([violation('body', path, 'secret', 'is required to make a hidden variable readable')]);
  }) as T;
}

const NOT_KEPT = 'must be given again: the stored value is not kept for a URL of another origin or user';

interface WithOptions {
  readonly playwrightConfig?: BodyOf<typeof createBrowserCheck>['playwrightConfig'];
}

/** Returns a body with another password for HTTP authentication in its Playwright options. */
function withPassword<T extends WithOptions>(body: T, password: string): T {
  const { playwrightConfig: config } = body;
  const use = config?.use;
  if (!use?.httpCredentials) return body;
  const httpCredentials = { ...use.httpCredentials, password };
  return { ...body, playwrightConfig: { ...config, use: { ...use, httpCredentials } } };
}

/** Returns as whom and where the credentials of Playwright options are sent. */
function recipientOf({ playwrightConfig: config }: WithOptions): string {
  const { baseURL = '', httpCredentials: { username = '', origin = '' } = {} } = config?.use ?? {};
  return [username, origin, destinationOf(baseURL)].join('\n');
}

/** Restores a password that a change leaves out or sends back empty. Throws `Problem` 400 if another origin or user would get it. */
export function restoreOptions<T extends WithOptions>(body: T, before: WithOptions): T {
  const sent = body.playwrightConfig?.use?.httpCredentials;
  const stored = before.playwrightConfig?.use?.httpCredentials;
  if (!sent || sent.password || !stored?.password) return body;
  if (recipientOf(body) !== recipientOf(before))
    throw invalid([
      violation('body', ['playwrightConfig', 'use', 'httpCredentials', 'password'], 'secret', NOT_KEPT),
    ]);
  return withPassword(body, stored.password);
}

/** Returns a stored secret that a client did not send again. Throws `Problem` 400 if it would go to another origin or user. */
type Keep = <T>(stored: T, path: Violation['path']) => T;

/** Returns where a URL leads, and as whom: its origin and user or, if variables define it, the text before the path. */
function destinationOf(url: string): string {
  if (!isUrl(url)) return /^(?:\w+:\/\/)?[^/?#]*/.exec(url)?.[0] ?? '';
  const { origin, username, password } = new URL(url);
  return `${username}:${password}@${origin}`;
}

/** Returns the rule of one resource. `base`: the field of the body that has the secrets. */
const keepWithin =
  (base: string, before: unknown, after: unknown): Keep =>
  (stored, path) => {
    if (destinationOf(asText(before) ?? '') === destinationOf(asText(after) ?? '')) return stored;
    throw invalid([violation('body', [base, ...path], 'required', NOT_KEPT)]);
  };

/** Restores a missing or empty password if the user name is unchanged. */
function restorePassword<T extends { basicAuth?: Auth }>(
  value: T,
  previous: Auth | undefined,
  keep: Keep,
): T {
  const auth = value.basicAuth;
  if (!auth || auth.password || !previous?.password) return value;
  if (auth.username !== previous.username) return value;
  const password = keep(previous.password, ['basicAuth', 'password']);
  return { ...value, basicAuth: { ...auth, password } };
}

/** Changes the headers and query parameters of an API check's request or of a channel's config. */
function mapPairs<T extends object>(
  fields: T,
  change: (pairs: unknown, field: 'headers' | 'queryParameters') => unknown,
): T {
  const changed = { ...fields } as Record<string, unknown>;
  for (const field of ['headers', 'queryParameters'] as const) {
    if (changed[field]) changed[field] = change(changed[field], field);
  }
  return changed as T;
}

/** The nth pair with a name takes the value of the nth stored pair with it. An empty value counts as omitted. */
function restorePairs(sent: unknown, before: unknown, field: string, keep: Keep): unknown {
  if (!Array.isArray(sent) || !Array.isArray(before)) return sent;
  const previous = before as readonly JsonObject[];
  const all = sent as readonly (JsonObject | null)[];
  return all.map((pair, index) => {
    if (pair?.locked !== true || (pair.value !== undefined && pair.value !== '')) return pair;
    const nth = all.slice(0, index).filter((other) => other?.key === pair.key).length;
    const stored = previous.filter(({ key }) => key === pair.key)[nth];
    if (stored?.locked !== true || !stored.value) return pair;
    return keep(stored, [field, index, 'value']);
  });
}

/** Restores what `maskSecrets` hid in the request of an API check, or in the defaults of a group. `base`: the field of the body that has the request. */
export function restoreRequest<T extends Authenticated>(
  request: T,
  before: Authenticated,
  base = 'request',
): T {
  // Defaults without a URL send nothing to another origin.
  const keep: Keep = request.url ? keepWithin(base, before.url, request.url) : (stored) => stored;
  return mapPairs(restorePassword(request, before.basicAuth, keep), (pairs, field) =>
    restorePairs(pairs, before[field], field, keep),
  );
}

export const restoreDefaults = <T extends Defaults>(defaults: T, before: Defaults): T =>
  defaults ? restoreRequest(defaults, before ?? {}, 'apiCheckDefaults') : defaults;

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
const withoutUndefined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;

function presentPairs(value: unknown) {
  if (!Array.isArray(value)) return undefined;
  return value.map((item: unknown) => {
    const { key, value, locked } = (item ?? {}) as JsonObject;
    return withoutUndefined({ key: asText(key), value: asText(value), locked: locked === true });
  });
}

type Channel = Pick<AlertChannelRecord['body'], 'type' | 'config'>;

/** Returns a channel's config for responses, without secrets and locked values, and with masks for credentials. */
export const maskConfig = (channel: Channel): Record<string, unknown> =>
  mapPairs(maskSecrets(createAlertChannel.body, channel).config, (pairs) => presentPairs(pairs) ?? pairs);

/**
 * Restores what responses omit or mask, so that a client can send a config back. Throws `Problem` 400 for a secret that
 * is not sent again although the channel gets a URL of another origin. A new type of channel keeps nothing.
 */
export function restoreConfig(
  type: Channel['type'],
  sent: JsonObject,
  before: Channel,
): Record<string, unknown> {
  if (type !== before.type) return { ...sent };
  const stored: JsonObject = before.config;
  const restoreCredential = (credential: string, field: string, keep: Keep): string => {
    const kept = asText(stored[field]);
    if (kept === undefined || kept === credential || maskCredential(kept) !== credential) return credential;
    return keep(kept, [field]);
  };
  // The mask of a URL contains its origin.
  const url = restoreCredential(asText(sent.url) ?? '', 'url', (kept) => kept);
  const keep = keepWithin('config', stored.url, url);
  const { webhookSecret } = stored;
  const complete =
    webhookSecret === undefined || webhookSecret === '' || sent.webhookSecret !== undefined
      ? sent
      : { ...sent, webhookSecret: keep(webhookSecret, ['webhookSecret']) };
  const restored = mapCredentials(type, complete, (credential, field) =>
    field === 'url' ? url : restoreCredential(credential, field, keep),
  );
  return mapPairs(restored, (pairs, field) => restorePairs(pairs, stored[field], field, keep));
}

/** Returns the specification's `alertChannels`: the active channels by type. Types without a channel are omitted. */
export function presentChannels(
  subscriptions: readonly Subscription[],
  channels: readonly AlertChannelRecord[],
): Channels {
  const alerted = subscriptions
    .filter(({ activated }) => activated)
    .flatMap(({ channelId }) => channels.filter(({ id }) => id === channelId));
  const present = (type: string, names: readonly string[], hasPairs = false) => {
    const configs: readonly JsonObject[] = alerted
      .filter(({ body }) => body.type === type)
      .map(({ body }) => maskConfig(body));
    if (configs.length === 0) return undefined;
    const pairs = hasPairs ? ['headers', 'queryParameters'] : [];
    return configs.map((config) =>
      withoutUndefined(
        Object.fromEntries([
          ...names.map((name) => [name, asText(config[name])]),
          ...pairs.map((name) => [name, config[name]]),
        ]),
      ),
    );
  };
  return withoutUndefined({
    email: present('EMAIL', ['address']),
    webhook: present('WEBHOOK', ['url', 'name', 'method'], true),
    slack: present('SLACK', ['url']),
    sms: present('SMS', ['number', 'name']),
  });
}
