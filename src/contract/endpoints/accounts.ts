/** Endpoints of accounts and their entitlements. A key sees exactly one account. */
import { account, entitlements } from '../resources/account.ts';
import { array, string } from '../schema.ts';
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
