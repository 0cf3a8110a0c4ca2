/**
 * The first requests of a published client: it checks its key and account with them before every command, and stops if they
 * fail. They are not in the published API, so other clients should use `/v1/accounts`.
 */
import { user } from '../resources/account.ts';
import { getAccount, listAccounts } from './accounts.ts';
import { aliasOf, define } from './define.ts';

export const listAccountsNext = aliasOf(listAccounts, { name: 'listAccountsNext', path: '/next/accounts' });
export const getAccountNext = aliasOf(getAccount, {
  name: 'getAccountNext',
  path: '/next/accounts/{accountId}',
});
export const getCurrentUser = define({
  name: 'getCurrentUser',
  method: 'GET',
  path: '/next/users/me',
  summary: 'Get the name of the API key',
  resource: 'accounts',
  response: user,
});
