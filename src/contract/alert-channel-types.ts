/** Describes each type of alert channel in one row: which settings it needs, and which of them are credentials. */
import type { ALERT_CHANNEL_TYPES } from './enumerations.ts';

export type AlertChannelType = (typeof ALERT_CHANNEL_TYPES)[number];

interface AlertChannelTypeRow {
  /** Settings without which nothing can be delivered. */
  readonly required: readonly string[];
  /** Settings that are credentials: responses, exports and output show only their masks (mask-credential.ts). */
  readonly credentials: readonly string[];
  /** The setting that names the recipient in tables. */
  readonly target: string;
}

export const ALERT_CHANNEL_ROWS: Readonly<Record<AlertChannelType, AlertChannelTypeRow>> = {
  EMAIL: { required: ['address'], credentials: [], target: 'address' },
  SLACK: { required: ['url'], credentials: ['url'], target: 'url' },
  SLACK_APP: { required: ['slackChannels'], credentials: ['token'], target: 'slackChannels' },
  WEBHOOK: { required: ['name', 'url'], credentials: ['url'], target: 'url' },
  SMS: { required: ['number'], credentials: [], target: 'number' },
  PAGERDUTY: { required: ['serviceKey'], credentials: ['serviceKey'], target: 'serviceName' },
  OPSGENIE: { required: ['apiKey'], credentials: ['apiKey'], target: 'apiKey' },
  MSTEAMS: { required: ['url'], credentials: ['url'], target: 'url' },
  DISCORD: { required: ['url'], credentials: ['url'], target: 'url' },
  TELEGRAM: { required: ['apiKey', 'chatId'], credentials: ['apiKey'], target: 'chatId' },
  // Anyone who knows the topic of a public server can read and send its messages.
  NTFY: { required: ['topic'], credentials: ['topic', 'token', 'url'], target: 'topic' },
};

/** Returns the row of a type; undefined for a type of a newer deployment. */
export const alertChannelRow = (type: unknown): AlertChannelTypeRow | undefined =>
  typeof type === 'string' && Object.hasOwn(ALERT_CHANNEL_ROWS, type)
    ? ALERT_CHANNEL_ROWS[type as AlertChannelType]
    : undefined;
