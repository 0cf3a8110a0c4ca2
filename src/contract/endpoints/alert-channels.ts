/** Endpoints of alert channels and alert notifications. */

import { NOTIFICATION_STATES } from '../enumerations.ts';
import * as resources from '../resources/alert-channel.ts';
import { allOptional, boolean, integer, oneOf, Type, unixSeconds, uuid } from '../schema.ts';
import { define, pageQuery } from './define.ts';

const channels = { resource: 'alert channels' } as const;
const channelId = { id: integer('ID of the alert channel') };
export const listAlertChannels = define({
  ...channels,
  name: 'listAlertChannels',
  method: 'GET',
  path: '/v1/alert-channels',
  summary: 'List alert channels',
  query: pageQuery,
  response: Type.Array(resources.alertChannel),
  paging: 'page',
});
export const createAlertChannel = define({
  ...channels,
  name: 'createAlertChannel',
  method: 'POST',
  path: '/v1/alert-channels',
  summary: 'Create an alert channel',
  body: resources.alertChannelBody,
  response: resources.alertChannel,
  status: 201,
  rules: ['alertChannelConfig', 'channelTypeNeedsConfig'],
});
export const getAlertChannel = define({
  ...channels,
  name: 'getAlertChannel',
  method: 'GET',
  path: '/v1/alert-channels/{id}',
  summary: 'Get an alert channel',
  params: channelId,
  response: resources.alertChannel,
});
export const updateAlertChannel = define({
  ...channels,
  name: 'updateAlertChannel',
  method: 'PUT',
  path: '/v1/alert-channels/{id}',
  summary: 'Update an alert channel',
  params: channelId,
  body: resources.alertChannelChange,
  response: resources.alertChannel,
  rules: ['alertChannelConfig', 'channelTypeNeedsConfig'],
});
export const updateAlertChannelSubscription = define({
  ...channels,
  name: 'updateAlertChannelSubscription',
  method: 'PUT',
  path: '/v1/alert-channels/{id}/subscriptions',
  summary: 'Subscribe an alert channel to a check or a group, or change that subscription',
  params: channelId,
  body: resources.alertChannelSubscriptionBody,
  response: resources.alertChannelSubscriptionAnswer,
});
export const deleteAlertChannel = define({
  ...channels,
  name: 'deleteAlertChannel',
  method: 'DELETE',
  path: '/v1/alert-channels/{id}',
  summary: 'Delete an alert channel',
  params: channelId,
});
export const testAlertChannel = define({
  ...channels,
  name: 'testAlertChannel',
  method: 'POST',
  path: '/v1/alert-channels/{id}/test',
  summary: 'Send one test message through an alert channel, and return the outcome',
  params: channelId,
  response: resources.alertChannelTest,
});
export const listAlertNotifications = define({
  name: 'listAlertNotifications',
  method: 'GET',
  path: '/v1/alert-notifications',
  summary: 'List sent and pending alert notifications, newest first',
  resource: 'alert notifications',
  query: {
    ...pageQuery,
    ...allOptional({
      from: unixSeconds('Only notifications created from this time on, in Unix seconds'),
      to: unixSeconds('Only notifications created before this time, in Unix seconds'),
      hasFailures: boolean('Only notifications that failed, or only others'),
      checkId: uuid('Only notifications of this check'),
      alertChannelId: integer('Only notifications through this alert channel'),
      state: oneOf(NOTIFICATION_STATES, 'Only notifications in this state'),
    }),
  },
  response: Type.Array(resources.alertNotification),
  paging: 'page',
});
