/** Schemas of accounts, their entitlements, and the owner of an API key. */
import {
  anyObject,
  array,
  boolean,
  dateTime,
  integer,
  nullable,
  open,
  openOneOf,
  optional,
  string,
  uuid,
} from '../schema.ts';
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

export const MEMBER_TYPES = ['member', 'invite'] as const;
export const MEMBER_ROLES = ['OWNER', 'ADMIN', 'READ_WRITE', 'READ_RUN', 'READ_ONLY'] as const;
export const MEMBER_STATUSES = ['ACTIVE', 'PENDING', 'EXPIRED'] as const;

export const memberPage = open(
  {
    length: integer('Number of members on this page'),
    members: array(
      open(
        {
          type: openOneOf(MEMBER_TYPES, 'Type of the entry'),
          accountId: uuid('ID of the account'),
          userId: uuid('ID of the member; of the owner, that of the account'),
          name: nullable(string('Name of the member; of the owner, that of the account')),
          email: string('E-mail address; of the owner owner@sonde.invalid, because the service knows none'),
          role: openOneOf(MEMBER_ROLES, 'Role in the account'),
          status: openOneOf(MEMBER_STATUSES, 'State of the membership'),
          createdAt: dateTime('Time of creation'),
          updatedAt: dateTime('Time of the last change'),
          isSupportMembership: boolean('Whether the member is support staff of the deployment'),
          ssoEnabled: boolean('Whether the member signs in with single sign-on'),
          mfaEnabled: boolean('Whether the member signs in with a second factor'),
        },
        { title: 'AccountMember' },
      ),
      'Members and invitations',
    ),
    nextId: nullable(string('Cursor of the next page; null: last page')),
  },
  { title: 'AccountMembers' },
);

export const user = open(
  {
    id: uuid('ID of the API key'),
    name: string('Name of the API key'),
  },
  { title: 'User' },
);
