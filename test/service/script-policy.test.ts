/** Scripts without isolation: one account on loopback, or who says that they are trusted. */
import { expect, it } from 'vitest';
import { findScriptProblem, type ScriptPolicy } from '../../src/service/script-policy.ts';

const ALONE: ScriptPolicy = {
  ...{ level: 'process', accounts: 1, host: '127.0.0.1' },
  ...{ trustScripts: false, canReachDenied: false },
};

it.each([
  ['one account on loopback', {}, undefined],
  ['one account on loopback of IPv6', { host: '::1' }, undefined],
  ['two accounts', { accounts: 2 }, '2 accounts share this service'],
  ['a service that others reach', { host: '0.0.0.0' }, 'other machines can reach this service on 0.0.0.0'],
  ['a name that only looks like loopback', { host: '127.example.com' }, 'other machines can reach'],
  ['two accounts whose scripts are trusted', { accounts: 2, trustScripts: true }, undefined],
  [
    'scripts that are trusted, where private networks are denied',
    { canReachDenied: true, trustScripts: true },
    'denies checks access to private networks',
  ],
  ['two accounts in namespaces', { accounts: 2, level: 'namespace' }, undefined],
  ['a service that others reach, with a user id for each run', { host: '0.0.0.0', level: 'uid' }, undefined],
] satisfies [string, Partial<ScriptPolicy>, string | undefined][])('%s', (_, changes, why) => {
  const said = findScriptProblem({ ...ALONE, ...changes });
  if (why === undefined) expect(said).toBeUndefined();
  else expect(said).toContain(why);
});
