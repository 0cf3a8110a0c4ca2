/** Alert channels, what tries one, and what was sent over them, as docs/gaps.md describes them; their requests and answers. */

import { ALERT_CHANNEL_TYPES, ALERT_KINDS, NOTIFICATION_STATES } from '../enumerations.ts';
import { NAME_LIMIT } from '../limits.ts';
import {
  allOptional,
  anyObject,
  array,
  boolean,
  closed,
  date,
  dateTime,
  integer,
  nullable,
  number,
  oneOf,
  open,
  openOneOf,
  optional,
  string,
  Type,
} from '../schema.ts';
import { timestamps } from './shared.ts';

const channelPair = open({
  key: string('Name'),
  value: optional(string('Value', { writeOnly: true })),
  locked: optional(boolean('Whether answers leave the value out')),
});
const alertChannelFields = {
  type: oneOf(ALERT_CHANNEL_TYPES, 'Kind of channel'),
  // A channel may say more than we know: what is known has its flags and its rules.
  config: Type.Unsafe<Record<string, unknown>>(
    open(
      allOptional({
        name: string('What people call it (WEBHOOK: required)', NAME_LIMIT),
        address: string('E-mail address (EMAIL)'),
        number: string('Telephone number (SMS)'),
        url: string('Address that is called (SLACK, WEBHOOK)'),
        method: string('HTTP method (WEBHOOK); POST unless given'),
        headers: array(channelPair, 'Headers of its calls (WEBHOOK)'),
        queryParameters: array(channelPair, 'Query parameters of its calls (WEBHOOK)'),
        template: nullable(string('What is sent instead of our own JSON (WEBHOOK)')),
        webhookSecret: string('What its calls are signed with (WEBHOOK); never shown', { writeOnly: true }),
      }),
      { description: 'Where it leads: address (EMAIL), url (SLACK), name and url (WEBHOOK), number (SMS)' },
    ),
  ),
};
const alertChannelSwitches = allOptional({
  sendRecovery: boolean('Whether recoveries are told', { default: true }),
  sendFailure: boolean('Whether failures are told', { default: true }),
  sendDegraded: boolean('Whether degradations are told', { default: false }),
  sslExpiry: boolean('Whether expiring certificates are told', { default: false }),
  sslExpiryThreshold: integer('Days before the expiry', {
    minimum: 1,
    maximum: 30,
    default: 30,
    'x-unit': 'days',
  }),
});
const alertChannelSubscription = allOptional({
  checkId: nullable(string('A subscribed check')),
  groupId: nullable(number('A subscribed group')),
  activated: boolean('Whether it is alerted', { default: true }),
});
const alertChannelSettings = {
  ...alertChannelSwitches,
  subscriptions: optional(array(closed(alertChannelSubscription), 'Checks and groups that alert it')),
};
export const alertChannelBody = closed(
  { ...alertChannelFields, ...alertChannelSettings },
  { title: 'AlertChannelRequest' },
);
export const alertChannelChange = closed(
  { ...allOptional(alertChannelFields), ...alertChannelSettings },
  { title: 'AlertChannelChange' },
);
export const alertChannel = open(
  {
    id: number('Id of the alert channel'),
    type: openOneOf(ALERT_CHANNEL_TYPES, 'Kind of channel'),
    config: anyObject('Where it leads'),
    ...alertChannelSwitches,
    subscriptions: array(open(alertChannelSubscription), 'Checks and groups that alert it'),
    ...timestamps,
  },
  { title: 'AlertChannel' },
);

export const alertChannelTest = open(
  {
    delivered: boolean('Whether the receiver took the message'),
    recipient: string('Whom it was for: an address or a number; of a webhook its host alone'),
    error: nullable(string('What came of it, where it was not delivered')),
  },
  { title: 'AlertChannelTest' },
);

export const alertNotification = open(
  {
    id: number('Id of the notification'),
    alertType: openOneOf(ALERT_KINDS, 'What is told'),
    channelType: openOneOf(ALERT_CHANNEL_TYPES, 'Kind of channel'),
    alertChannelId: nullable(number('The alert channel; it may be gone')),
    checkId: nullable(string('The check; it may be gone')),
    recipient: string('Whom it is for: an address or a number; of a webhook its host alone'),
    state: openOneOf(NOTIFICATION_STATES, 'Where it stands'),
    attempts: number('How often it was tried'),
    lastError: nullable(string('What the last try came to, where it failed')),
    idempotencyKey: string('The key that its receiver is given with every try'),
    nextAttemptAt: nullable(dateTime('When it has its next turn, where it waits for one')),
    created_at: date('When the alert was decided'),
    endedAt: nullable(dateTime('When it was sent or given up')),
  },
  { title: 'AlertNotification' },
);
