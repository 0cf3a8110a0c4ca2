/** Describes each type of alert channel in one row: which settings it needs, and which names its recipient. */
import type { ALERT_CHANNEL_TYPES } from './enumerations.ts';

export type AlertChannelType = (typeof ALERT_CHANNEL_TYPES)[number];

interface AlertChannelTypeRow {
  /** Settings without which nothing can be delivered. */
  readonly required: readonly string[];
  /** The setting that names the recipient in tables. */
  readonly target: string;
}

export const ALERT_CHANNEL_ROWS: Readonly<Record<AlertChannelType, AlertChannelTypeRow>> = {
  EMAIL: { required: ['address'], target: 'address' },
  SLACK: { required: ['url'], target: 'url' },
  SLACK_APP: { required: ['slackChannels'], target: 'slackChannels' },
  WEBHOOK: { required: ['name', 'url'], target: 'url' },
  SMS: { required: ['number'], target: 'number' },
  PAGERDUTY: { required: ['serviceKey'], target: 'serviceName' },
  OPSGENIE: { required: ['apiKey'], target: 'apiKey' },
  MSTEAMS: { required: ['url'], target: 'url' },
  DISCORD: { required: ['url'], target: 'url' },
  TELEGRAM: { required: ['apiKey', 'chatId'], target: 'chatId' },
  NTFY: { required: ['topic'], target: 'topic' },
};

/** Returns the row of a type; undefined for a type of a newer deployment. */
export const alertChannelRow = (type: unknown): AlertChannelTypeRow | undefined =>
  typeof type === 'string' && Object.hasOwn(ALERT_CHANNEL_ROWS, type)
    ? ALERT_CHANNEL_ROWS[type as AlertChannelType]
    : undefined;
