/** Schemas of the subscriptions of a status page (docs/gaps.md). */
import { NAME_LIMIT } from '../limits.ts';
import {
  array,
  boolean,
  closed,
  dateTime,
  number,
  oneOf,
  open,
  openOneOf,
  optional,
  string,
  uuid,
} from '../schema.ts';

const SUBSCRIPTION_STATES = ['PENDING', 'VERIFIED'] as const;

export const pageSubscription = open(
  {
    id: uuid('ID of the subscription'),
    type: openOneOf(['EMAIL', 'WEBHOOK'], 'Type of the subscription'),
    address: string('E-mail address, or the host of a webhook'),
    status: openOneOf(SUBSCRIPTION_STATES, 'PENDING: must be confirmed before it receives updates'),
    created_at: dateTime('Time of the request'),
    updated_at: dateTime('Time of the confirmation, or of the last request'),
  },
  { title: 'StatusPageSubscription' },
);

export const pageSubscriptionsBody = closed(
  {
    subscriptions: array(
      closed({
        type: oneOf(['EMAIL'], 'Type of the subscription'),
        config: string('E-mail address', NAME_LIMIT),
      }),
      'Subscriptions to create',
      { minItems: 1, maxItems: 100 },
    ),
    autoVerify: optional(
      boolean('Whether the addresses are subscribed without a confirmation by e-mail', { default: false }),
    ),
  },
  { title: 'StatusPageSubscriptionsRequest' },
);

export const pageSubscriptionsAnswer = open(
  {
    created: number('Number of created subscriptions'),
    skipped: number('Number of addresses that were already subscribed'),
    status: openOneOf(SUBSCRIPTION_STATES, 'Status of the created subscriptions'),
  },
  { title: 'StatusPageSubscriptionsResponse' },
);
