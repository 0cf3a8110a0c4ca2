/** The certificate of a check in `checks get` and `checks stats`: of results of a real service, and of deployments. */
import { stripVTControlCharacters } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { command as get } from '../../../commands/checks/get.ts';
import { command as stats } from '../../../commands/checks/stats.ts';
import * as contract from '../../../src/contract/index.ts';
import { run } from '../../../src/runners/ssl/runner.ts';
import { envOf, well } from '../../cli/resources/journey.ts';
import { storeResults } from '../../service/http/api/stored-results.ts';
import { dns } from '../../service/http/api/support.ts';
import { call } from '../../support/call.ts';
import { createManualClock } from '../../support/clock.ts';
import { serviceAt } from '../../support/command.ts';
import { makeAuthority, needsOpenssl } from '../../support/fault-proxy/authority.ts';
import { answer, serveWith } from '../../support/http.ts';
import { credentialsOf, serveMutualTls } from '../../support/mutual-tls.ts';
import { attempt } from '../../support/runners.ts';
import { startTestService } from '../../support/service.ts';

const AT = '2026-11-21T12:00:00Z';
const DAY = 86_400_000;
const TERMINAL = { isTTY: { stdout: true, stderr: true }, columns: 140 };
const FINGERPRINT = Array(32).fill('AB').join(':');

async function started(at = AT) {
  const clock = createManualClock(Date.parse(at));
  const service = await startTestService({ clock });
  onTestFinished(service.close);
  const options = { env: { ...envOf(service), NO_COLOR: '1' }, clock };
  const url = { name: 'Shop', request: { url: 'https://shop.example.com' }, activated: false };
  return {
    clock,
    service,
    options,
    newUrlCheck: async (name = 'Shop') =>
      String((await call(service, contract.createUrlCheck, { body: { ...url, name } })).id),
    /** The line of the card; undefined if there is none. */
    async shown(id: string) {
      const { stdout } = await well(get, [id], { ...options, ...TERMINAL });
      return /^Certificate {2,}(.*)$/m.exec(stripVTControlCharacters(stdout))?.[1]?.trim();
    },
  };
}

const seen = (days: number, more: object = {}) => ({
  tls: {
    ...{ host: 'shop.example.com', subject: '*.example.com', issuer: 'R11', fingerprint: FINGERPRINT },
    validTo: new Date(Date.parse(AT) + days * DAY).toISOString(),
    daysLeft: Math.floor(days),
    ...more,
  },
});

it('shows the names and the days that are left now, whenever the check ran', async () => {
  const { service, clock, newUrlCheck, shown } = await started();
  const check = { id: await newUrlCheck(), type: 'URL' };
  expect(await shown(check.id)).toBeUndefined();
  await storeResults(service, check, [{ at: AT, details: seen(61.5) }]);
  expect(await shown(check.id)).toBe('*.example.com, issued by R11, expires in 61 days');
  clock.step(40 * DAY);
  expect(await shown(check.id)).toBe('*.example.com, issued by R11, expires in 21 days');
  clock.step(21 * DAY);
  expect(await shown(check.id)).toBe('*.example.com, issued by R11, expires in less than a day');
  clock.step(DAY);
  expect(await shown(check.id)).toBe('*.example.com, issued by R11, expired 1 day ago');
});

it('shows the certificate that expires first, on one line', async () => {
  const { service, newUrlCheck, shown } = await started();
  const check = { id: await newUrlCheck(), type: 'URL' };
  const { tls } = seen(3, { subject: 'old\nStatus  passing\u001b[2J', issuer: null });
  const redirects = [{ url: 'https://old.example.com/', tls }];
  await storeResults(service, check, [{ at: AT, details: { ...seen(90), redirects } }]);
  expect(await shown(check.id)).toMatch(/^old Status passing\S*, expires in 3 days$/);
});

it('shows what an SSL check recorded', async (context) => {
  needsOpenssl(context);
  const authority = await makeAuthority();
  onTestFinished(authority.remove);
  const { port } = await serveMutualTls(authority, undefined, { requestCert: false });
  const { ca } = await credentialsOf(authority, 'good');
  const request = { sslConfig: { hostname: '127.0.0.1', port } };
  const { details } = await attempt(run, { request }, { ca: [ca] });
  const at = new Date().toISOString();
  const { service, shown } = await started(at);
  const body = { name: 'Certificate', activated: false, request };
  const id = String((await call(service, contract.createSslCheck, { body })).id);
  await storeResults(service, { id, type: 'SSL' }, [{ at, details }]);
  expect(await shown(id)).toBe('good, issued by Nobody, expires in 1 day');
});

it('adds the days to the statistics of few and of many checks', async () => {
  const { service, options, newUrlCheck } = await started();
  const id = await newUrlCheck();
  await storeResults(service, { id, type: 'URL' }, [{ at: AT, details: seen(61) }]);
  const body = { ...dns, name: 'Apex', activated: false };
  await call(service, contract.createDnsCheck, { body });
  const table = async (...argv: string[]) =>
    stripVTControlCharacters((await well(stats, argv, { ...options, ...TERMINAL })).stdout).split('\n');
  const [head, ...rows] = await table();
  expect(head).toMatch(/ RESULTS +CERT DAYS +TREND /);
  expect(rows.find((row) => row.startsWith('Shop'))).toMatch(/ 61 +· */);
  // Nothing to show, so no column.
  expect((await table('Apex'))[0]).not.toContain('CERT');
  for (let index = 0; index < 10; index++) await newUrlCheck(`More ${index}`);
  const { stdout } = await well(stats, ['--limit', '100', '--json'], options);
  const days = (JSON.parse(stdout) as { name: string; sslDaysRemaining: number | null }[]).flatMap(
    ({ name, sslDaysRemaining }) => (sslDaysRemaining === null ? [] : [[name, sslDaysRemaining]]),
  );
  expect(days).toEqual([['Shop', 61]]);
});

it('shows only the days, or nothing, of a deployment that has no more', async () => {
  const ID = '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d';
  let status: object | undefined;
  const { url } = await serveWith((request, response) => {
    const { pathname } = new URL(request.url, 'http://host');
    if (pathname === `/v1/checks/${ID}`)
      return answer(response, { body: { id: ID, name: 'Shop', checkType: 'API' } });
    if (pathname === `/v1/check-statuses/${ID}` && status !== undefined)
      return answer(response, { body: status });
    if (pathname === `/v2/check-results/${ID}`) return answer(response, { body: { entries: [{}] } });
    return answer(response, { status: 404, body: { message: 'Not Found' } });
  });
  const shown = async () =>
    (await well(get, [ID], { env: { ...serviceAt(url), NO_COLOR: '1' }, ...TERMINAL })).stdout;
  expect(await shown()).not.toContain('Certificate');
  status = { checkId: ID, sslDaysRemaining: null, updated_at: AT };
  expect(await shown()).not.toContain('Certificate');
  status = { checkId: ID, sslDaysRemaining: 12, updated_at: AT };
  expect(await shown()).toMatch(/^Certificate +expires in 12 days/m);
});
