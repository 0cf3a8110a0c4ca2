/** Tests of `sonde try` against real servers: what is run of files, with which settings, and with which verdict. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command } from '../../../commands/try.ts';
import { CancelledError } from '../../../src/base/errors.ts';
import { writeFolder } from '../../cli/manifest/files/project-files.ts';
import { type LineOptions, runLine } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, serveWith, type TestServer } from '../../support/http.ts';

const serveStatus = (status: number): Promise<TestServer> =>
  serveWith((_, response) => answer(response, { status, body: 'hello' }));

/** The body of a URL check that expects status 200. */
const urlCheck = (url: string, more = '') => `
checkType: URL
name: Home
${more}
request:
  url: ${url}/
  assertions: [{source: STATUS_CODE, comparison: EQUALS, target: "200"}]
`;

async function tryIn(
  files: Readonly<Record<string, string>>,
  argv: readonly string[],
  options: LineOptions = {},
) {
  const cwd = options.cwd ?? (await writeFolder(files));
  return { cwd, ...(await runLine(command, argv, { cwd, ...options })) };
}

/** Returns one file with these checks, as flow maps. */
const checksOf = (...checks: readonly string[]): string =>
  `checks:\n${checks.map((check) => `  - ${check}\n`).join('')}`;

it('runs the body of one check, and prints its session with the details of its result', async () => {
  const good = await serveStatus(200);
  const passed = await tryIn({ 'check.yaml': urlCheck(good.url) }, ['check.yaml']);
  expect(passed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^PASSED\tHome\tlocal\tPASSED\t/) });
  expect(good.requests).toHaveLength(1);

  const bad = await serveStatus(500);
  const failed = await tryIn(
    { 'check.json': JSON.stringify({ checkType: 'URL', name: 'Home', request: { url: bad.url } }) },
    ['check.json', '--json'],
  );
  expect(failed.code).toBe(1);
  const [session] = JSON.parse(failed.stdout);
  expect(session).toMatchObject({ checkId: 'Home', status: 'FAILED', runLocations: ['local'] });
  expect(session.results).toMatchObject([
    { resultType: 'ATTEMPT', hasFailures: true, attempts: 0 },
    { resultType: 'FINAL', hasFailures: true, attempts: 1, urlCheckResult: { response: { status: 500 } } },
  ]);
  expect(bad.requests, 'a check is repeated once by default').toHaveLength(2);
});

it('says why a check failed, and reports it', async () => {
  const { url, requests } = await serveStatus(500);
  const { cwd, code, stderr } = await tryIn({ 'check.yaml': urlCheck(url) }, [
    ...['check.yaml', '--no-retries', '--report', 'junit:report.xml'],
  ]);
  expect(code).toBe(1);
  expect(stderr).toContain('Home at local: STATUS_CODE EQUALS "200": was 500');
  expect(await readFile(join(cwd, 'report.xml'), 'utf8')).toContain('failures="1"');
  expect(requests).toHaveLength(1);
});

it('fails degraded checks only on request', async () => {
  const { url } = await serveStatus(200);
  const files = { 'check.yaml': urlCheck(url, 'degradedResponseTime: 0\nmaxResponseTime: 30000') };
  expect(await tryIn(files, ['check.yaml'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^DEGRADED/),
  });
  expect(await tryIn(files, ['check.yaml', '--fail-on', 'degraded'])).toMatchObject({ code: 1 });
});

it('never passes when sonde itself cannot run the check', async () => {
  const { url, requests } = await serveStatus(200);
  const { code, stdout, stderr } = await tryIn(
    { 'check.yaml': urlCheck(url) },
    ['check.yaml', '--no-retries'],
    {
      env: { HTTP_PROXY: 'http://127.0.0.1:1' },
    },
  );
  expect({ code, result: stdout.split('\t')[0] }).toEqual({ code: 1, result: 'ERROR' });
  expect(stderr).toContain('the proxy http://127.0.0.1:1 cannot be used');
  expect(requests).toHaveLength(0);
});

const SHOP = (url: string) => ({
  'monitoring/shop.yaml': `
project: shop
defaults: {checks: {retryStrategy: {type: FIXED, maxRetries: 1, baseBackoffSeconds: 0}}}
groups:
  - name: Shop
    apiCheckDefaults: {url: "${url}", headers: [{key: x-group, value: "{{GREETING}}"}]}
    environmentVariables: [{key: GREETING, value: good morning}]
    retryStrategy: {type: FIXED, maxRetries: 2, baseBackoffSeconds: 0}
variables:
  - SHOP_TOKEN
  - {key: TOKEN, value: "\${SHOP_TOKEN}", secret: true}
alertChannels:
  - {type: EMAIL, config: {address: "\${NOT_SET}"}}
`,
  'monitoring/checks/cart.yaml': checksOf(
    '{name: Cart, key: cart, checkType: API, group: Shop, request: {url: /cart, method: GET, headers: [{key: authorization, value: "Bearer {{TOKEN}}"}]}}',
    `{name: Broken, checkType: URL, request: {url: "\${NOT_SET_EITHER}"}}`,
  ),
});

it('runs a check by its key with group, variables and retries, and hides secrets', async () => {
  const { url, requests } = await serveWith((request, response) =>
    answer(response, { status: 401, body: `not for ${request.headers.authorization}` }),
  );
  const { code, stdout, stderr } = await tryIn(SHOP(url), ['cart', '--json'], {
    env: { SHOP_TOKEN: 'open-sesame-1234' },
  });
  expect(code).toBe(1);
  expect(requests).toHaveLength(3);
  expect(requests[0]).toMatchObject({
    url: '/cart',
    headers: { authorization: 'Bearer open-sesame-1234', 'x-group': 'good morning' },
  });
  expect(JSON.parse(stdout)[0].results[2].apiCheckResult.response.body).toBe('not for Bearer ***');
  expect(stdout + stderr).not.toContain('open-sesame');
});

it('names the nearest checks, and the place of every mistake', async () => {
  const files = SHOP('http://127.0.0.1');
  expect(await tryIn(files, ['Crat'])).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/check "Crat" not found in monitoring\n\s*did you mean "cart" or "Cart"\?/),
  });
  expect(await tryIn(files, ['Cart'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('monitoring/shop.yaml:11:18: variable SHOP_TOKEN is not set'),
  });
  const invalid = checksOf('{name: A, checkType: DNS, request: {query: a.example, recordType: AX}}');
  expect(await tryIn({ 'a.yaml': invalid }, ['a.yaml'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('a.yaml:2:59: request.recordType'),
  });
  expect(await tryIn({ 'a.yaml': 'groups: []' }, ['a.yaml'])).toMatchObject({ code: 5 });
  expect(await tryIn({ 'a.yaml': 'checks: [' }, ['a.yaml'])).toMatchObject({ code: 2 });
  expect(await tryIn({}, ['missing.yaml'])).toMatchObject({ code: 2 });
});

it('skips what a folder has switched off, and refuses what cannot run', async () => {
  const { url, requests } = await serveStatus(200);
  const request = `request: {url: "${url}/"}`;
  const files = {
    'monitoring/a.yaml': checksOf(
      `{name: On, checkType: URL, ${request}}`,
      `{name: Off, checkType: URL, activated: false, ${request}}`,
      '{name: Backup, checkType: HEARTBEAT, heartbeat: {period: 1, periodUnit: days, grace: 1, graceUnit: hours}}',
    ),
  };
  const all = await tryIn(files, ['monitoring']);
  expect(all).toMatchObject({ code: 0, stdout: expect.stringMatching(/^PASSED\tOn\t[^\n]*\n$/) });
  expect(all.stderr).toContain('skipped Off: it is deactivated');
  expect(all.stderr).toContain('skipped Backup: heartbeat checks do not run');
  expect(await tryIn(files, ['Off'])).toMatchObject({ code: 0 });
  expect(await tryIn(files, ['On', 'Backup'])).toMatchObject({ code: 2, stdout: '' });
  expect(requests).toHaveLength(2);
});

it('runs the checks of a group in their order, no more at once than its concurrency', async () => {
  let open = 0;
  const most: number[] = [];
  const { url, requests } = await serveWith((_, response) => {
    most.push(++open);
    setImmediate(() => {
      open -= 1;
      answer(response, {});
    });
  });
  const check = (name: string, order: number) =>
    `{name: ${name}, checkType: URL, group: One, groupOrder: ${order}, request: {url: "${url}/${name}"}}`;
  const files = {
    'a.yaml': `groups: [{name: One, concurrency: 1}]\n${checksOf(check('c', 3), check('a', 1), check('b', 2))}`,
  };
  expect(await tryIn(files, ['a.yaml'])).toMatchObject({ code: 0 });
  expect(requests.map((request) => request.url)).toEqual(['/a', '/b', '/c']);
  expect(Math.max(...most)).toBe(1);
});

it('shows every verdict at once, however many checks there are', async () => {
  const { url, requests } = await serveStatus(200);
  const check = (_: unknown, at: number) => `{name: "${at}", checkType: URL, request: {url: "${url}/${at}"}}`;
  const { code, stderr } = await tryIn({ 'a.yaml': checksOf(...Array.from({ length: 60 }, check)) }, [
    'a.yaml',
  ]);
  expect({ code, requests: requests.length }).toEqual({ code: 0, requests: 60 });
  expect(stderr).toContain('60 check sessions passed at local');
  expect(stderr).not.toContain('in turn');
});

it('stops a running check when it is interrupted or out of time, without a verdict', async () => {
  const stopping = new AbortController();
  const { url, requests } = await serveWith(() => {});
  const files = { 'check.yaml': urlCheck(url) };
  const running = tryIn(files, ['check.yaml'], { signal: stopping.signal });
  await eventually(() => expect(requests).toHaveLength(1));
  stopping.abort(new CancelledError('SIGINT'));
  expect(await running).toMatchObject({
    code: 130,
    stdout: '',
    stderr: expect.stringContaining('Cancelled: Home'),
  });
  const late = await tryIn(files, ['check.yaml', '--timeout', '300ms']);
  expect(late).toMatchObject({ code: 7, stderr: expect.stringContaining('pass a longer --timeout') });
});
