/** Logging in to deployments that read the account from another header. */
import { describe, expect, it } from 'vitest';
import { command } from '../../commands/login.ts';
import { listProfiles } from '../../src/profiles/store.ts';
import { makeHome } from '../profiles/support/home.ts';
import { runLine } from '../support/command.ts';
import { answer, serveWith } from '../support/http.ts';

const KEY = 'sk-hush-hush-1';

describe('the header for the account', () => {
  const ACCOUNT = '7b0c9a52-3f7e-4c61-9d1a-5f0f3f0c2a11';
  const refused = { status: 403, body: { statusCode: 403, error: 'Forbidden', message: 'not this account' } };
  /** A deployment that reads the account from one header, and may require it. */
  const deploymentThatReads = (header: string, requires = false) =>
    serveWith(({ headers }, response) => {
      const account = headers[header];
      const isGood = account === undefined ? !requires : account === ACCOUNT;
      answer(response, isGood ? { body: [] } : refused);
    });
  const login = async (url: string, ...flags: readonly string[]) => {
    const { home } = makeHome();
    const line = ['--base-url', url, '--account', ACCOUNT, ...flags];
    const { code, stderr } = await runLine(command, line, { home, input: KEY });
    return {
      code,
      stderr,
      home,
      header: listProfiles({ env: {}, home, warn: () => undefined }).profiles.get('default')?.accountHeader,
    };
  };

  it.each([
    ['read', 'x-service-account', false, undefined],
    ['ignored', 'x-checkly-account', false, 'x-checkly-account'],
    ['refused', 'x-checkly-account', true, 'x-checkly-account'],
  ])('is found where the one of the specification is %s', async (_, header, requires, found) => {
    const server = await deploymentThatReads(header, requires);
    const outcome = await login(server.url);
    expect(outcome).toMatchObject({ code: 0, header: found });
    expect(outcome.stderr.includes('x-checkly-account')).toBe(found !== undefined);
  });

  it('is that of the specification where the deployment reads none of both', async () => {
    const server = await serveWith((_request, response) => answer(response, { body: [] }));
    expect(await login(server.url)).toMatchObject({ code: 0, header: undefined });
  });

  it('is not looked for where the account is wrong, or a header is given', async () => {
    const server = await serveWith(({ headers }, response) =>
      answer(response, headers['x-service-account'] === undefined ? { body: [] } : refused),
    );
    expect(await login(server.url)).toMatchObject({ code: 4, header: undefined });
    const given = await deploymentThatReads('x-acme');
    expect(await login(given.url, '--account-header', 'x-acme')).toMatchObject({ code: 0, header: 'x-acme' });
    expect(given.requests).toHaveLength(1);
  });

  it('sends the key to no other host', async () => {
    const elsewhere = await serveWith((_request, response) => answer(response, { body: [] }));
    const server = await serveWith((_request, response) =>
      answer(response, { status: 307, headers: { location: `${elsewhere.url}/v1/maintenance-windows` } }),
    );
    expect((await login(server.url)).code).not.toBe(0);
    expect(elsewhere.requests).toEqual([]);
  });
});
