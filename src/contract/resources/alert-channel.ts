/** Schemas of alert channels, test messages and alert notifications (docs/gaps.md). */

import { ALERT_CHANNEL_TYPES, ALERT_KINDS, NOTIFICATION_STATES } from '../enumerations.ts';
import { RESOURCE_NAME_LIMIT } from '../limits.ts';
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
  secret,
  set,
  string,
  Type,
} from '../schema.ts';
import { alertRunIds } from './check-alert.ts';
import { timestamps } from './shared.ts';

const channelPair = open({
  key: string('Name'),
  value: optional(secret('omitted', 'Value')),
  locked: optional(boolean('Whether responses omit the value')),
});
const alertChannelFields = {
  type: oneOf(ALERT_CHANNEL_TYPES, 'Type of the channel'),
  // Open, because deployments know other fields; known fields have flags and rules.
  config: Type.Unsafe<Record<string, unknown>>(
    open(
      allOptional({
        name: string('Name of the channel; required for WEBHOOK', RESOURCE_NAME_LIMIT),
        address: string('E-mail address (EMAIL)'),
        number: string('Phone number (SMS)'),
        url: secret(
          'masked',
          'URL to call (SLACK, WEBHOOK, MSTEAMS, DISCORD), or of the server (NTFY; default: https://ntfy.sh); responses mask it',
        ),
        slackChannels: set(string('Channel, such as #ops'), 'Slack channels, at most 20 (SLACK_APP)'),
        token: secret(
          'masked',
          'Bot token (SLACK_APP; default: that of the service), or access token (NTFY); responses mask it',
        ),
        account: string('Name of the PagerDuty account (PAGERDUTY)'),
        serviceName: string('Name of the PagerDuty service (PAGERDUTY)'),
        serviceKey: secret('masked', 'Integration key of the service (PAGERDUTY); responses mask it'),
        apiKey: secret('masked', 'API key (OPSGENIE), or token of the bot (TELEGRAM); responses mask it'),
        region: string(
          'Region of the account, US or EU (OPSGENIE, PAGERDUTY), or JSM for Jira Service Management (OPSGENIE); default: US',
        ),
        priority: string('Priority of failures: P1 to P5 (OPSGENIE), 1 to 5 (NTFY)'),
        chatId: string('ID of the chat (TELEGRAM)'),
        messageThreadId: string('ID of the topic in a forum (TELEGRAM)'),
        // Anyone who knows the topic of a public server can read and send its messages.
        topic: secret('masked', 'Topic (NTFY); responses mask it'),
        method: string('HTTP method (WEBHOOK); default: POST'),
        headers: array(channelPair, 'HTTP headers (WEBHOOK)'),
        queryParameters: array(channelPair, 'Query parameters (WEBHOOK)'),
        template: nullable(string('Template of the request body (WEBHOOK); default: JSON')),
        webhookType: string('Kind of webhook that other clients set, such as WEBHOOK_TELEGRAM (WEBHOOK)'),
        webhookSecret: secret('omitted', 'Secret that signs the requests (WEBHOOK); write-only'),
      }),
      { description: 'Settings of the channel, by type' },
    ),
  ),
};
const alertChannelSwitches = allOptional({
  sendRecovery: boolean('Whether recovery alerts are sent', { default: true }),
  sendFailure: boolean('Whether failure alerts are sent', { default: true }),
  sendDegraded: boolean('Whether degradation alerts are sent', { default: false }),
  sslExpiry: boolean('Whether alerts about expiring TLS certificates are sent', { default: false }),
  sslExpiryThreshold: integer('Days before a certificate expires at which an alert is sent', {
    minimum: 1,
    maximum: 30,
    default: 30,
    'x-unit': 'days',
  }),
});
const alertChannelSubscription = allOptional({
  checkId: nullable(string('ID of a subscribed check')),
  groupId: nullable(number('ID of a subscribed group')),
  activated: boolean('Whether the subscription is active', { default: true }),
});
/** Body and response of one subscription of a channel, to a check or a group. */
export const alertChannelSubscriptionBody = closed(
  { ...alertChannelSubscription, activated: boolean('Whether the subscription is active') },
  { title: 'AlertChannelSubscriptionRequest' },
);
export const alertChannelSubscriptionAnswer = open(
  { ...alertChannelSubscription, activated: boolean('Whether the subscription is active') },
  { title: 'AlertChannelSubscription' },
);
const alertChannelSettings = {
  ...alertChannelSwitches,
  subscriptions: optional(array(closed(alertChannelSubscription), 'Subscribed checks and groups')),
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
    id: number('ID of the alert channel'),
    type: openOneOf(ALERT_CHANNEL_TYPES, 'Type of the channel'),
    config: anyObject('Settings of the channel'),
    ...alertChannelSwitches,
    subscriptions: array(open(alertChannelSubscription), 'Subscribed checks and groups'),
    ...timestamps,
  },
  { title: 'AlertChannel' },
);

export const alertChannelTest = open(
  {
    delivered: boolean('Whether the recipient accepted the message'),
    recipient: string('Recipient: an address, a number or the host of a webhook'),
    error: nullable(string('Error of a failed delivery')),
  },
  { title: 'AlertChannelTest' },
);

export const alertNotification = open(
  {
    id: string('ID of the notification'),
    alertType: openOneOf(ALERT_KINDS, 'Kind of alert'),
    channelType: openOneOf(ALERT_CHANNEL_TYPES, 'Type of the channel'),
    ...allOptional({
      type: openOneOf(ALERT_CHANNEL_TYPES, 'Type of the channel, by its published name'),
      status: openOneOf(
        ['IN_PROGRESS', 'SUCCESS', 'FAILURE'],
        'State of the notification, by its published name',
      ),
      notificationResult: nullable(string('Error of the last attempt, by its published name')),
      timestamp: nullable(
        dateTime('Time at which the notification was sent or abandoned, by its published name'),
      ),
    }),
    alertChannelId: nullable(number('ID of the alert channel; the channel may have been deleted')),
    checkId: nullable(string('ID of the check; the check may have been deleted')),
    checkIds: optional(
      array(string('ID of a check'), 'IDs of the checks, if the message contains the alerts of several'),
    ),
    ...allOptional({
      checkAlertId: string('ID of the alert; absent if the message contains several'),
      ...alertRunIds,
    }),
    recipient: string('Recipient: an address, a number or the host of a webhook'),
    state: openOneOf(NOTIFICATION_STATES, 'State of the notification'),
    attempts: number('Number of delivery attempts'),
    lastError: nullable(string('Error of the last attempt, if it failed')),
    idempotencyKey: string('Idempotency key, sent to the recipient with each attempt'),
    nextAttemptAt: nullable(dateTime('Time of the next attempt, if one is scheduled')),
    created_at: date('Creation time'),
    endedAt: nullable(dateTime('Time at which the notification was sent or abandoned')),
  },
  { title: 'AlertNotification' },
);
