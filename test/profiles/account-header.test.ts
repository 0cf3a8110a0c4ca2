/** The header that carries the account ID, and where its name comes from. */
import { expect, test } from 'vitest';
import type { UsageError } from '../../src/base/errors.ts';
import { loadProfiles } from '../../src/profiles/resolve.ts';
import { makeHome, rejection } from './support/home.ts';

const USER_FILE = `
current: prod
profiles:
  prod:
    baseUrl: https://api.example.com
    apiKey: key-of-prod
    accountHeader: x-brand-account
`;

test.each([
  ['flag', { accountHeader: 'x-flag' }, { SONDE_ACCOUNT_HEADER: 'x-env' }, 'x-flag'],
  ['environment', {}, { SONDE_ACCOUNT_HEADER: 'x-env' }, 'x-env'],
  ['user file', {}, { SONDE_ACCOUNT_HEADER: '' }, 'x-brand-account'],
] as const)('the header for the account comes from the %s', async (from, flags, env, header) => {
  const { context, writeUserFile } = makeHome();
  writeUserFile(USER_FILE);
  const resolution = await loadProfiles({ ...context(env), flags });
  expect(resolution).toMatchObject({ accountHeader: header, sources: { accountHeader: { from } } });
});

test('a header that carries something else is refused', async () => {
  const { context, writeUserFile } = makeHome();
  writeUserFile(USER_FILE);
  const error = await rejection(loadProfiles(context({ SONDE_ACCOUNT_HEADER: 'authorization' })));
  expect((error as UsageError).message).toBe('SONDE_ACCOUNT_HEADER is a reserved header');
});
