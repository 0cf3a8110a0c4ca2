/** Logging in to the embedded service, using what was saved, and logging out. */
import { expect, onTestFinished, test } from 'vitest';
import { command as api } from '../../commands/api.ts';
import { command as login } from '../../commands/login.ts';
import { command as logout } from '../../commands/logout.ts';
import { command as whoami } from '../../commands/whoami.ts';
import { makeHome } from '../profiles/support/home.ts';
import { runLine } from '../support/command.ts';
import { startTestService } from '../support/service.ts';

test('a key of the service is saved, works for any endpoint, and is gone after logging out', async () => {
  const { home } = makeHome();
  const service = await startTestService();
  onTestFinished(service.close);
  const url = ['--base-url', service.url];

  expect((await runLine(login, url, { home, input: 'sk-wrong' })).code).toBe(4);
  const stranger = await service.newAccount();
  const foreign = [...url, '--account', stranger.accountId];
  expect((await runLine(login, foreign, { home, input: service.apiKey })).code).toBe(4);
  const own = [...url, '--account', service.accountId];
  expect((await runLine(login, own, { home, input: service.apiKey })).code).toBe(0);

  const { stdout } = await runLine(whoami, ['--json'], { home });
  expect(JSON.parse(stdout)).toMatchObject({
    baseUrl: service.url,
    accountId: service.accountId,
    accepted: true,
  });

  const fields = ['--field', 'name=Hook', '--raw-field', 'script=await page.goto("/")'];
  const made = await runLine(api, ['post', '/v1/snippets', ...fields, '--jq', '.id'], { home });
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\n$/) });
  const path = `/v1/snippets/${made.stdout.trim()}`;
  expect(await runLine(api, ['get', path, '--jq', '.name'], { home })).toMatchObject({ stdout: 'Hook\n' });
  expect(await runLine(api, ['delete', path], { home })).toMatchObject({ code: 0, stdout: '' });
  expect((await runLine(api, ['get', path], { home })).code).toBe(5);
  const refused = await runLine(api, ['post', '/v1/snippets', '--field', 'name=5'], { home });
  expect(refused).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('script') });

  expect((await runLine(logout, ['--yes'], { home })).code).toBe(0);
  expect((await runLine(whoami, [], { home })).code).toBe(4);
});
