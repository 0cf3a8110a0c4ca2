/** `sonde checks stats`: of results of a real service, and the requests that it sends to deployments. */
import { stripVTControlCharacters } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { command as stats } from '../../../commands/checks/stats.ts';
import * as contract from '../../../src/contract/index.ts';
import { envOf, well } from '../../cli/resources/journey.ts';
import { rollUpHour, storeResults } from '../../service/http/api/stored-results.ts';
import { dns } from '../../service/http/api/support.ts';
import { call } from '../../support/call.ts';
import { createManualClock } from '../../support/clock.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { answer, serveWith } from '../../support/http.ts';
import { startTestService } from '../../support/service.ts';

const NOW = Date.parse('2026-11-21T12:30:00Z');

async function started() {
  const clock = createManualClock(NOW);
  const service = await startTestService({ clock });
  onTestFinished(service.close);
  const newCheck = async (name: string, tags: readonly string[]) => {
    const body = { ...dns, name, tags: [...tags], activated: false };
    return String((await call(service, contract.createDnsCheck, { body })).id);
  };
  const shop = await newCheck('Shop', ['web']);
  await newCheck('Idle', ['idle']);
  await storeResults(service, { id: shop, type: 'DNS' }, [
    { at: '2026-11-21T08:05:00Z', time: 10 },
    { at: '2026-11-21T09:05:00Z', time: 20 },
    { at: '2026-11-21T10:05:00Z', time: 40, outcome: 'failed' },
    { at: '2026-11-21T10:35:00Z', time: 40, location: 'us-east-1' },
    { at: '2026-11-20T01:05:00Z', time: 80, outcome: 'failed' },
  ]);
  for (const hour of ['2026-11-21T08', '2026-11-21T09', '2026-11-21T10', '2026-11-20T01'])
    await rollUpHour(service, shop, `${hour}:05:00Z`);
  return { shop, options: { env: { ...envOf(service), NO_COLOR: '1' }, clock } };
}

it('shows availability, response times, failures and the trend of a day', async () => {
  const { shop, options } = await started();
  const { stdout } = await well(stats, [], {
    ...options,
    isTTY: { stdout: true, stderr: true },
    columns: 140,
  });
  // Without what keeps a terminal from wrapping lines, and moves the cursor.
  const [head, ...rows] = stripVTControlCharacters(stdout).split('\n');
  expect(head).toMatch(/^NAME +AVAIL \(%\) +P50 +P95 +FAILURES +RESULTS +TREND +ID/);
  expect(rows.find((row) => row.startsWith('Shop'))).toMatch(/^Shop +75 .* 1 +4 +·+▂▄×··? +\S+$/);
  expect(rows.find((row) => row.startsWith('Idle'))).toMatch(/^Idle +— +— +— +0 +0 +·+ +\S+$/);
  const { stdout: json } = await well(stats, ['--json', '--tag', 'web'], options);
  const [row, ...others] = JSON.parse(json);
  expect([row.id, row.failures, row.results, others]).toEqual([shop, 1, 4, []]);
  expect(row.periods).toHaveLength(24);
  expect(row.periods.at(-3)).toEqual({
    startsAt: '2026-11-21T10:00:00.000Z',
    ...{ results: 2, failures: 1, responseTime: 40 },
  });
});

it('shows a week and a month by day, as text without a terminal', async () => {
  const { shop, options } = await started();
  const week = await well(stats, ['Shop', '--range', '7d'], options);
  expect(week.stdout).toMatch(new RegExp(`^${shop}\tShop\t60\t[0-9.]+\t[0-9.]+\t2\t5\t\n$`));
  const month = await well(stats, [shop, '--range', '30d', '--output', 'csv'], options);
  expect(month.stdout).toMatch(
    new RegExp(
      `^id,name,availability,p50,p95,failures,results,sslDaysRemaining\r?\n${shop},Shop,60,,[0-9.]+,2,5,\r?\n$`,
    ),
  );
});

it('sends few requests for many checks, and does without roll-ups', async () => {
  const uuid = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const checks = Array.from({ length: 230 }, (_, index) => ({
    id: uuid(index),
    name: `c${index}`,
    checkType: 'URL',
  }));
  const server = await serveWith((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://host');
    if (pathname === '/v1/checks') {
      const limit = Number(searchParams.get('limit'));
      const page = Number(searchParams.get('page') ?? 1);
      return answer(response, { body: checks.slice((page - 1) * limit, page * limit) });
    }
    if (pathname !== '/v1/analytics/checks')
      return answer(response, { status: 404, body: { message: 'Route not found' } });
    const { checkIds } = JSON.parse(request.body) as { checkIds: string[] };
    return answer(response, {
      body: checkIds.map((checkId) => ({
        checkId,
        checkType: 'URL',
        availability: 99.5,
        responseTime_p50: 5,
        responseTime_p95: 9,
      })),
    });
  });
  const env = serviceAt(server.url);
  const all = await well(stats, ['--all', '--json', '--limit', '100'], { env });
  const rows = JSON.parse(all.stdout) as object[];
  expect(rows).toHaveLength(230);
  expect(rows[229]).toMatchObject({ availability: 99.5, p50: 5, p95: 9, failures: null, results: null });
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
  expect(server.requests.length).toBeLessThan(8);
  const some = await well(stats, ['--json', '--limit', '2'], { env });
  expect(JSON.parse(some.stdout)).toMatchObject([{ failures: null }, { failures: null }]);
});

it('refuses IDs together with filters', async () => {
  const { code, stderr } = await runLine(stats, ['00000000-0000-4000-8000-000000000000', '--tag', 'web'], {
    env: serviceAt('http://127.0.0.1:1'),
  });
  expect([code, stderr]).toEqual([2, expect.stringContaining('check IDs cannot be combined with --tag')]);
});
