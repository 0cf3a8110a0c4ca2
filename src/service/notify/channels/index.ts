/** Renders and validates alert channels of every type. */
import type { JsonObject } from '../../../base/object.ts';
import { CREDENTIAL_FIELDS, holdsMask } from '../../../contract/mask-credential.ts';
import type { AlertChannelBody } from '../../store/index.ts';
import type { AlertFacts } from '../facts/alert-facts.ts';
import type { Message } from '../facts/message.ts';
import type { ChannelType, ConfigProblem } from './channel-type.ts';
import { discord } from './discord.ts';
import { email } from './email.ts';
import { msteams } from './msteams.ts';
import { ntfy } from './ntfy.ts';
import { opsgenie } from './opsgenie.ts';
import { pagerduty } from './pagerduty.ts';
import { slack, slackApp } from './slack.ts';
import { sms } from './sms.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';

export const CHANNEL_TYPES: Readonly<Record<AlertChannelBody['type'], ChannelType>> = {
  EMAIL: email,
  SLACK: slack,
  SLACK_APP: slackApp,
  WEBHOOK: webhook,
  SMS: sms,
  PAGERDUTY: pagerduty,
  OPSGENIE: opsgenie,
  MSTEAMS: msteams,
  DISCORD: discord,
  TELEGRAM: telegram,
  NTFY: ntfy,
};

type Channel = Pick<AlertChannelBody, 'type' | 'config'>;

/** Renders an alert as the message to one recipient. */
export const renderMessage = ({ type, config }: Channel, facts: AlertFacts): Message =>
  CHANNEL_TYPES[type].render(config, facts);

/** A message to one recipient of a channel. */
export interface ChannelMessage {
  readonly message: Message;
  /** Tells the recipients of a channel apart in keys and lanes; empty if there is one. */
  readonly suffix: string;
}

/** Renders an alert as the messages of a channel, one for each recipient. Pure: the outbox sends them later. */
export function renderMessages({ type, config }: Channel, facts: AlertFacts): readonly ChannelMessage[] {
  const recipients = CHANNEL_TYPES[type].split?.(config) ?? [['', config] as const];
  return recipients.map(([name, settings]) => ({
    message: renderMessage({ type, config: settings }, facts),
    suffix: recipients.length === 1 ? '' : `/${name}`,
  }));
}

/** Validates the config of a channel, so that undeliverable channels are rejected when they are saved. */
export function validateChannel({
  type,
  config,
}: {
  readonly type: Channel['type'];
  readonly config: JsonObject;
}): readonly ConfigProblem[] {
  const masks = CREDENTIAL_FIELDS.filter((field) => holdsMask(config[field]));
  if (masks.length === 0) return CHANNEL_TYPES[type].validate(config);
  return masks.map((field) => ({
    path: [field],
    message: 'must be the whole value, or exactly the mask of the stored one: responses contain only masks',
  }));
}

/** ID in test messages, which have no check and no result. */
const NO_CHECK = '00000000-0000-0000-0000-000000000000';

/** Renders test messages: failure alerts that say that no check failed. `now`: ms since the epoch. */
export const renderTestMessages = (channel: Channel, now: number): readonly ChannelMessage[] =>
  renderMessages(channel, {
    kind: 'ALERT_FAILURE',
    at: now,
    since: now,
    groupName: null,
    tags: [],
    link: null,
    check: { id: NO_CHECK, name: 'test of the alert channel', type: 'TEST' },
    run: {
      sessionId: NO_CHECK,
      resultId: NO_CHECK,
      location: 'none',
      responseTime: null,
      startedAt: now,
      error: 'This is a test message. No check failed.',
    },
  });
