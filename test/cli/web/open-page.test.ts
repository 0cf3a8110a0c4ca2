/** Opens pages of a real service in a browser ($BROWSER is a real program), and prints addresses without one. */
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command as getCheck } from '../../../commands/checks/get.ts';
import { command as openCheck } from '../../../commands/checks/open.ts';
import { command as openDashboard } from '../../../commands/dashboards/open.ts';
import { command as getIncident } from '../../../commands/incidents/get.ts';
import { command as openService } from '../../../commands/service/open.ts';
import { command as getSession } from '../../../commands/sessions/get.ts';
import { command as getStatusPage } from '../../../commands/status-pages/get.ts';
import { command as getTestSession } from '../../../commands/test-sessions/get.ts';
import type { Command } from '../../../src/cli/framework/types.ts';
import * as contract from '../../../src/contract/index.ts';
import { post, tokenIn } from '../../service/http/pages/world.ts';
import { byHand } from '../../support/by-hand.ts';
import { call } from '../../support/call.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { answer, serveWith } from '../../support/http.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let folder: string;
let checkId: string;
beforeAll(async () => {
  service = await startTestService();
  folder = await mkdtemp(join(tmpdir(), 'sonde-browser-'));
  const check = await call(service, contract.createUrlCheck, {
    body: { name: 'Shop', ...byHand(), request: { url: 'http://127.0.0.1:9' } },
  });
  checkId = String(check.id);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

/** A browser that writes what it opens into a file, and exits with `code`. */
async function createBrowser(name: string, code = 0) {
  const path = join(folder, name);
  const opened = `${path}.opened`;
  await writeFile(path, `#!/bin/sh\nprintf '%s\\n' "$@" > '${opened}'\nexit ${code}\n`);
  await chmod(path, 0o755);
  return { path, opened: async () => (await readFile(opened, 'utf8')).split('\n').filter(Boolean) };
}
/** The address that a file leads to, which only its owner can read. The arguments of a browser are no secret. */
async function addressIn(argument = ''): Promise<string> {
  expect(argument).toMatch(/^file:\/\/\/.*\/open\.html$/);
  const path = fileURLToPath(argument);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  return /url=([^"]+)"/.exec(await readFile(path, 'utf8'))?.[1] ?? '';
}
const env = (more: Readonly<Record<string, string>> = {}) => ({
  SONDE_BASE_URL: service.url,
  SONDE_API_KEY: service.apiKey,
  ...more,
});
const TTY = { isTTY: { stdin: true, stdout: true, stderr: true } };
const LINK = /^http:\/\/127\.0\.0\.1:\d+\/sign-in\/[\w-]{43}$/;
/** Where a link leads that signs in. */
const follow = async (url: string) => {
  const page = await (await fetch(url)).text();
  const answer = await post(service, new URL(url).pathname, { token: tokenIn(page) });
  expect(answer.headers.get('set-cookie')).toContain('sonde_session=');
  return answer.headers.get('location');
};

describe('at a terminal', () => {
  it('opens the page in $BROWSER, signed in, and neither prints the link nor hands over the key', async () => {
    const browser = await createBrowser('my browser');
    const { code, stdout, stderr } = await runLine(openCheck, [checkId], {
      ...TTY,
      env: env({ BROWSER: browser.path }),
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^Opened 127\.0\.0\.1:\d+ in your browser\.\s*$/);
    const [file, ...more] = await browser.opened();
    const url = await addressIn(file);
    expect(url).toMatch(LINK);
    expect(more).toEqual([]);
    expect(await follow(url)).toBe(`/checks/${checkId}`);
  });

  it('takes the first browser of a list, with its arguments', async () => {
    const browser = await createBrowser('firefox');
    await runLine(openService, [], { ...TTY, env: env({ BROWSER: `${browser.path} --new-tab:other` }) });
    const [flag, file] = await browser.opened();
    expect([flag, await follow(await addressIn(file))]).toEqual(['--new-tab', '/']);
  });

  it('finds the browser of the system', async () => {
    const browser = await createBrowser('xdg-open');
    const of = { DISPLAY: ':0', PATH: folder };
    await runLine(openService, [], { ...TTY, env: env(of) });
    expect(await addressIn((await browser.opened())[0])).toMatch(LINK);
  });

  it.each([
    ['there is none', () => ({}), 'No browser found'],
    ['it is missing', () => ({ BROWSER: '/none' }), '/none was not found'],
    ['it fails', async () => ({ BROWSER: (await createBrowser('broken', 3)).path }), 'broken exited with 3'],
  ])('prints the link and why if %s', async (_, browser, why) => {
    const { code, stdout, stderr } = await runLine(openService, [], { ...TTY, env: env(await browser()) });
    expect(code).toBe(0);
    expect(stderr).toContain(why);
    expect(await follow(stdout.trim())).toBe('/');
  });
});

it('prints the link without a terminal, and as JSON on request, even with a browser', async () => {
  const browser = await createBrowser('unused');
  const piped = await runLine(openCheck, ['Shop'], { env: env({ BROWSER: browser.path }) });
  expect(piped.stdout).toMatch(new RegExp(`${LINK.source.slice(0, -1)}\n$`));
  expect(piped.stderr).toContain('stdout is not a terminal. Open this address in a browser:');
  const json = await runLine(openService, ['--json'], { ...TTY, env: env({ BROWSER: browser.path }) });
  expect(JSON.parse(json.stdout)).toEqual({
    url: expect.stringMatching(LINK),
    expiresAt: expect.any(String),
  });
  await expect(browser.opened()).rejects.toThrow('ENOENT');
});

it('--web opens the page of each resource that has one', async () => {
  const { id: serviceId } = await call(service, contract.createService, { body: { name: 'Shop' } });
  const services = [{ id: String(serviceId) }];
  const page = await call(service, contract.createStatusPage, {
    body: { name: 'Shop', url: 'shop', cards: [{ name: 'Shop', services }] },
  });
  const incident = await call(service, contract.createIncident, {
    body: {
      ...{ name: 'Orders fail', severity: 'MAJOR', services },
      incidentUpdates: [{ description: 'We look.', status: 'INVESTIGATING' }],
    },
  });
  const dashboard = await call(service, contract.createDashboard, { body: { customUrl: 'wall' } });
  const path = async (command: Command, ...argv: string[]) =>
    follow((await runLine(command, argv, { env: env() })).stdout.trim());
  expect(await path(getCheck, checkId, '--web')).toBe(`/checks/${checkId}`);
  expect(await path(getStatusPage, page.id, '--web')).toBe('/status/shop');
  expect(await path(getIncident, incident.id, '--web')).toBe(`/incidents/${incident.id}`);
  expect(await path(openDashboard, dashboard.dashboardId)).toBe('/dashboards/wall');
});

it('--web opens the link of a session, which needs no sign-in', async () => {
  const { sessions } = await call(service, contract.triggerCheckSessions, {
    body: { target: { checkId: [checkId] } },
  });
  const session = await runLine(getSession, [sessions[0]?.checkSessionId ?? '', '--web'], { env: env() });
  expect(session.stdout).toBe(`${sessions[0]?.checkSessionLink}\n`);
  const test = await call(service, contract.triggerTestSessions, {
    body: { name: 'release', runLocation: 'eu-west-1', target: { checkId: [checkId] } },
  });
  const tested = await runLine(getTestSession, [test.testSessionId, '--web'], { env: env() });
  expect(tested.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/test-sessions\/[^/]+\/[\w-]+\n$/);
});

it('says that a deployment without sign-in links does not offer them', async () => {
  const body = { statusCode: 404, error: 'Not Found', message: 'Route not found' };
  const server = await serveWith((_, response) => answer(response, { status: 404, body }));
  const { code, stderr } = await runLine(openService, [], { env: serviceAt(server.url) });
  expect(code).toBe(3);
  expect(stderr).toContain('this deployment does not offer POST /v1/sign-in-links');
});

it('a page that does not exist is an error, not a link', async () => {
  const { code, stdout } = await runLine(openCheck, ['5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d'], { env: env() });
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
});
