/** Describes alert channels for their commands. */
import { isUrl } from '../../base/parse-url.ts';
import { textWith } from '../../base/tolerate.ts';
import { type createAlertChannel, getAlertChannel, type ResponseOf } from '../../contract/index.ts';
import { formatChannelTarget } from '../../contract/mask-credential.ts';
import type { Column } from '../../terminal/index.ts';
import type { FlagOverrides, Step } from '../framework/types.ts';
import type { Resource } from './resource.ts';

type Channel = ResponseOf<typeof getAlertChannel>;

/** Returns the recipient, without the credentials that other deployments show. */
const target = ({ type, config }: Channel): string | undefined => formatChannelTarget(type, config);
const nameOf = (channel: Channel): string | undefined => {
  const name = channel.config.name ?? target(channel);
  return name === undefined ? undefined : String(name);
};

/** Formats the active subscriptions of a check or group, by name if `names` has it. */
export const formatSubscriptions = (
  subscriptions: readonly { readonly alertChannelId: number; readonly activated: boolean }[],
  names?: ReadonlyMap<unknown, string>,
): readonly string[] =>
  subscriptions
    .filter(({ activated }) => activated)
    .flatMap(({ alertChannelId: id }) => names?.get(id) ?? textWith`channel ${id}` ?? []);

/** Formats a channel with its type: `Deploys (WEBHOOK)`. */
export function formatChannel(channel: Channel): string {
  const name = nameOf(channel);
  return name === undefined ? channel.type : `${name} (${channel.type})`;
}

const events: Column<Channel> = {
  key: 'events',
  value: ({ sendFailure, sendRecovery, sendDegraded, sslExpiry }) => [
    ...(sendFailure ? ['failures'] : []),
    ...(sendDegraded ? ['degradations'] : []),
    ...(sendRecovery ? ['recoveries'] : []),
    ...(sslExpiry ? ['certificates'] : []),
  ],
  kind: 'list',
  priority: 60,
};
const alertedBy: Column<Channel> = {
  key: 'subscriptions',
  header: 'alerted by',
  value: ({ subscriptions }) => subscriptions.filter(({ activated }) => activated !== false).length,
  kind: 'number',
  priority: 50,
};

export const alertChannels = {
  commandGroup: 'alert-channels',
  noun: 'alert channel',
  plural: 'alert channels',
  catalogKey: 'alert-channel',
  param: 'id',
  get: getAlertChannel,
  sampleId: '31',
  columns: [
    { key: 'id', kind: 'id' },
    { key: 'type', priority: 90 },
    { key: 'name', value: ({ config }) => config.name, priority: 75, minWidth: 8 },
    { key: 'target', header: 'target', value: target, priority: 80, minWidth: 20 },
    events,
    alertedBy,
  ],
  fields: [
    { key: 'id', kind: 'id' },
    { key: 'type' },
    { key: 'name', value: ({ config }) => config.name },
    { key: 'target', header: 'target', value: target },
    { key: 'config.method', header: 'method' },
    events,
    {
      key: 'sslExpiryThreshold',
      header: 'certificate expiry (days)',
      value: ({ sslExpiry, sslExpiryThreshold }) => (sslExpiry ? sslExpiryThreshold : undefined),
      kind: 'number',
    },
    alertedBy,
    { key: 'created_at', header: 'created', kind: 'time' },
    { key: 'updated_at', header: 'updated', kind: 'time' },
  ],
  idOf: ({ id }) => id,
  nameOf: (channel) => nameOf(channel) ?? channel.type,
  nextCommands: ({ id }) => [
    [
      'Subscribe to a check',
      'checks',
      'update',
      '<check-id>',
      '--alert-channel-subscriptions',
      `alertChannelId=${id},activated=true`,
    ],
  ],
} satisfies Resource<Channel>;

/** Names the flags of nested fields, and groups all flags for help. */
export const channelFlags = {
  names: {
    'config.name': 'name',
    'config.address': 'address',
    'config.number': 'number',
    'config.url': 'url',
    'config.slackChannels': 'slack-channel',
    'config.token': 'token',
    'config.account': 'pagerduty-account',
    'config.serviceName': 'service-name',
    'config.serviceKey': 'service-key',
    'config.apiKey': 'api-key',
    'config.region': 'region',
    'config.priority': 'priority',
    'config.chatId': 'chat-id',
    'config.messageThreadId': 'message-thread-id',
    'config.topic': 'topic',
    'config.method': 'method',
    'config.headers': 'header',
    'config.queryParameters': 'query-parameter',
    'config.template': 'template',
    'config.webhookType': 'webhook-type',
    'config.webhookSecret': 'webhook-secret',
  },
  groups: {
    Channel: [
      'type',
      'config.name',
      'config.address',
      'config.number',
      'config.url',
      'config.token',
      'config.slackChannels',
      'config.serviceKey',
      'config.serviceName',
      'config.account',
      'config.apiKey',
      'config.region',
      'config.priority',
      'config.chatId',
      'config.messageThreadId',
      'config.topic',
    ],
    Webhook: [
      'config.method',
      'config.headers',
      'config.queryParameters',
      'config.template',
      'config.webhookType',
      'config.webhookSecret',
      'config',
    ],
    Events: ['sendFailure', 'sendRecovery', 'sendDegraded', 'sslExpiry', 'sslExpiryThreshold'],
    Subscriptions: ['subscriptions'],
  },
} as const satisfies FlagOverrides<typeof createAlertChannel>;

const isHttpUrl = (text: string): boolean =>
  isUrl(text) && ['http:', 'https:'].includes(new URL(text).protocol);
/** Checks answers at the prompt, so that the service does not reject them later. */
const validators = {
  address: (text: string) =>
    /^[^\s@]+@[^\s@]+$/.test(text)
      ? undefined
      : 'The value must be one e-mail address, such as ops@example.com',
  number: (text: string) =>
    /^\+?[0-9][0-9 ()-]{3,24}$/.test(text)
      ? undefined
      : 'The value must be a telephone number, such as +49 170 1234567',
  url: (text: string) => (isHttpUrl(text) ? undefined : 'The value must begin with http:// or https://'),
};

/** The prompts for each channel type. */
export const channelSteps: readonly Step[] = [
  { flag: 'type', message: 'Channel type' },
  { flag: 'address', when: ['type', 'EMAIL'], message: 'E-mail address', validate: validators.address },
  { flag: 'number', when: ['type', 'SMS'], message: 'Telephone number', validate: validators.number },
  { flag: 'name', when: ['type', 'WEBHOOK'], message: 'Name of the channel' },
  { flag: 'url', when: ['type', 'SLACK'], message: 'URL of the incoming webhook', validate: validators.url },
  { flag: 'url', when: ['type', 'WEBHOOK'], message: 'Webhook URL', validate: validators.url },
  {
    flag: 'url',
    when: ['type', 'MSTEAMS'],
    message: 'Webhook URL of the workflow',
    validate: validators.url,
  },
  { flag: 'url', when: ['type', 'DISCORD'], message: 'Webhook URL', validate: validators.url },
  { flag: 'token', when: ['type', 'SLACK_APP'], message: 'Bot token of the Slack app' },
  { flag: 'slack-channel', when: ['type', 'SLACK_APP'], message: 'Slack channel' },
  { flag: 'service-key', when: ['type', 'PAGERDUTY'], message: 'Integration key of the service' },
  { flag: 'api-key', when: ['type', 'OPSGENIE'], message: 'API key' },
  { flag: 'api-key', when: ['type', 'TELEGRAM'], message: 'Token of the bot' },
  { flag: 'chat-id', when: ['type', 'TELEGRAM'], message: 'ID of the chat' },
  { flag: 'topic', when: ['type', 'NTFY'], message: 'Topic' },
];
