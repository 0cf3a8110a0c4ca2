/** Endpoints of accounts, their members and their entitlements. A key sees exactly one account. */
import {
  account,
  entitlements,
  MEMBER_ROLES,
  MEMBER_STATUSES,
  MEMBER_TYPES,
  memberPage,
} from '../resources/account.ts';
import { allOptional, array, integer, oneOf, string } from '../schema.ts';
import { define } from './define.ts';

const accounts = { resource: 'accounts', method: 'GET' } as const;
const accountId = { accountId: string('ID of the account') };

export const listAccounts = define({
  ...accounts,
  name: 'listAccounts',
  path: '/v1/accounts',
  summary: 'List the account of the API key',
  response: array(account, 'Accounts'),
});
export const getCurrentAccount = define({
  ...accounts,
  name: 'getCurrentAccount',
  path: '/v1/accounts/me',
  summary: 'Get the account of the API key',
  response: account,
});
export const getAccount = define({
  ...accounts,
  name: 'getAccount',
  path: '/v1/accounts/{accountId}',
  summary: 'Get an account by its ID',
  params: accountId,
  response: account,
});
export const getCurrentEntitlements = define({
  ...accounts,
  name: 'getCurrentEntitlements',
  path: '/v1/accounts/me/entitlements',
  summary: 'Get what this service supports',
  response: entitlements,
});
export const getEntitlements = define({
  ...accounts,
  name: 'getEntitlements',
  path: '/v1/accounts/{accountId}/entitlements',
  summary: 'Get what this service supports for an account',
  params: accountId,
  response: entitlements,
});

const memberQuery = allOptional({
  search: string('Only members whose name or e-mail address contains this text'),
  type: oneOf(MEMBER_TYPES, 'Only entries of this type'),
  role: oneOf(MEMBER_ROLES, 'Only members with this role'),
  status: oneOf(MEMBER_STATUSES, 'Only members in this state'),
  limit: integer('Maximum number of members per page; absent: all', { minimum: 1, maximum: 100 }),
  nextId: string('Cursor of the page, from nextId of the previous page'),
});
export const listCurrentMembers = define({
  ...accounts,
  name: 'listCurrentMembers',
  path: '/v1/accounts/me/members',
  summary: 'List the members of the account of the API key',
  query: memberQuery,
  response: memberPage,
});
export const listMembers = define({
  ...accounts,
  name: 'listMembers',
  path: '/v1/accounts/{accountId}/members',
  summary: 'List the members of an account',
  params: accountId,
  query: memberQuery,
  response: memberPage,
});
