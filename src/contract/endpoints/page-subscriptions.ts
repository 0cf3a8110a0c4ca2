/** Endpoints of the subscriptions of a status page. */
import * as resources from '../resources/page-subscription.ts';
import { Type, uuid } from '../schema.ts';
import { define } from './define.ts';

const subscriptions = { resource: 'status pages' } as const;
const pageId = { statusPageId: uuid('ID of the status page') };
export const listPageSubscriptions = define({
  ...subscriptions,
  name: 'listPageSubscriptions',
  method: 'GET',
  path: '/v1/status-pages/{statusPageId}/subscriptions',
  summary: 'List the subscriptions of a status page, newest request first',
  params: pageId,
  response: Type.Array(resources.pageSubscription),
});
export const createPageSubscriptions = define({
  ...subscriptions,
  name: 'createPageSubscriptions',
  method: 'POST',
  path: '/v1/status-pages/{statusPageId}/subscriptions/bulk',
  summary: 'Subscribe e-mail addresses to a status page',
  params: pageId,
  body: resources.pageSubscriptionsBody,
  response: resources.pageSubscriptionsAnswer,
  status: 201,
});
export const deletePageSubscription = define({
  ...subscriptions,
  name: 'deletePageSubscription',
  method: 'DELETE',
  path: '/v1/status-pages/{statusPageId}/subscriptions/{subscriptionId}',
  summary: 'Delete a subscription of a status page',
  params: { ...pageId, subscriptionId: uuid('ID of the subscription') },
});
