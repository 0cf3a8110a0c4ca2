/** Who one is to the service, and whether it agrees. */
import { expect, test } from 'vitest';
import { command } from '../../commands/whoami.ts';
import { makeHome } from '../profiles/support/home.ts';
import { runLine } from '../support/command.ts';
import { serve } from '../support/http.ts';

const profile = (url: string, account = 'a-1') =>
  `current: prod\nprofiles:\n  prod:\n    baseUrl: ${url}\n    apiKey: key-of-prod\n    accountId: ${account}\n`;

test('the service is asked with the key and the account, and each value names its source', async () => {
  const home = makeHome();
  const server = await serve({ body: [] });
  const path = home.writeUserFile(profile(server.url));
  const { code, stdout, stderr } = await runLine(command, ['--json'], { home: home.home });
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'The service accepted the key.\n' });
  expect(JSON.parse(stdout)).toMatchObject({
    profile: 'prod',
    baseUrl: server.url,
    accountId: 'a-1',
    key: 'saved',
    accepted: true,
    sources: { key: { from: 'user file', path } },
  });
  expect(stdout).not.toContain('key-of-prod');
  expect(server.requests[0]?.headers).toMatchObject({
    authorization: 'Bearer key-of-prod',
    'x-service-account': 'a-1',
  });
});

test.each([401, 403])(
  'a refusal by %i ends with 4 and an empty stdout, naming whose key it is',
  async (status) => {
    const home = makeHome();
    const server = await serve({ status, body: { statusCode: status, message: 'no such key' } });
    home.writeUserFile(profile(server.url));
    const { code, stdout, stderr } = await runLine(command, [], {
      home: home.home,
      env: { SONDE_ACCOUNT_ID: 'x' },
    });
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain(
      `${server.url} rejected the key of profile "prod" for the account x (from SONDE_ACCOUNT_ID): no such key`,
    );
  },
);

test('a service that fails is not one that refuses', async () => {
  const server = await serve({ status: 500, body: { message: 'broken' } });
  const env = { SONDE_BASE_URL: server.url, SONDE_API_KEY: 'k' };
  expect((await runLine(command, ['--retry-budget', '0ms'], { env })).code).toBe(6);
});

test('without any credentials it ends with 4 and names the ways to some', async () => {
  const { code, stderr } = await runLine(command, []);
  expect(code).toBe(4);
  expect(stderr).toMatch(/sonde login[\s\S]*sonde service start/);
});
