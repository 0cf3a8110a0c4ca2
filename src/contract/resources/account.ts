/** Schemas of accounts, their entitlements, and the owner of an API key. */
import { anyObject, array, boolean, integer, open, openOneOf, optional, string, uuid } from '../schema.ts';
import { alertSettings } from './shared.ts';

const plan = {
  plan: string('Plan of the account; self-hosted on this service'),
  planDisplayName: optional(string('Name of the plan')),
  addons: anyObject('Add-ons of the plan; this service has none'),
};

export const account = open(
  {
    id: uuid('ID of the account'),
    name: string('Name of the account'),
    runtimeId: string('Runtime of checks without a runtimeId'),
    ...plan,
    alertSettings: optional(alertSettings),
    features: array(string('Name of a feature'), 'Features that change the limits of clients'),
  },
  { title: 'Account' },
);

export const entitlements = open(
  {
    ...plan,
    locations: open(
      {
        all: array(
          open({
            id: string('Code of the location'),
            name: string('Name of the location'),
            available: boolean('Whether checks can run there'),
          }),
          'Public locations',
        ),
        maxPerCheck: optional(integer('Maximum number of locations per check; absent: no limit')),
      },
      { description: 'Public locations of checks' },
    ),
    entitlements: array(
      open(
        {
          key: string('Unique key'),
          name: string('Name'),
          description: string('Description'),
          type: openOneOf(['flag', 'metered'], 'metered: with a maximum quantity'),
          enabled: boolean('Whether this service supports it'),
          quantity: optional(integer('Maximum quantity', { minimum: 0 })),
        },
        { title: 'Entitlement' },
      ),
      'Features of the service',
    ),
  },
  { title: 'Entitlements' },
);

export const user = open(
  {
    id: uuid('ID of the API key'),
    name: string('Name of the API key'),
  },
  { title: 'User' },
);
