/** The tests of a Playwright check over its latest results: over the API, on its page and on the command line. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { command as listTests } from '../../../../commands/checks/tests.ts';
import * as contract from '../../../../src/contract/index.ts';
import { envOf, well } from '../../../cli/resources/journey.ts';
import { ask, call } from '../../../support/call.ts';
import { signIn } from './signed-in.ts';
import { createSuite, type ReportedTest, runSuite, suiteRunner } from './suite-runs.ts';
import { get, startWorld, type World } from './world.ts';

const passed = (title: string, durationMs: number): ReportedTest => ({ title, status: 'passed', durationMs });
const failed = (title: string, durationMs: number): ReportedTest => ({ title, status: 'failed', durationMs });
const flaky = (title: string, durationMs: number): ReportedTest => ({
  ...passed(title, durationMs),
  isFlaky: true,
});
const skipped = (title: string): ReportedTest => ({ title, status: 'skipped', durationMs: 0 });

const LONG = `shop.spec.ts › ${'a very long title of a group '.repeat(12)}› pays`;

/** "signs in" passes on retry once and then fails and passes; "pays" is slow; "exports" starts to fail, and remains so. */
const reports = [
  [passed('signs in', 100), passed(LONG, 8000), passed('exports', 10), skipped('later')],
  [flaky('signs in', 400), passed(LONG, 9000), failed('exports', 20), skipped('later')],
  [failed('signs in', 300), passed(LONG, 7000), failed('exports', 20), skipped('later')],
  [passed('signs in', 200), passed(LONG, 8000), failed('exports', 30), skipped('later')],
];

let world: World;
let id: string;
beforeAll(async () => {
  world = await startWorld({ engine: { runners: { PLAYWRIGHT: suiteRunner(reports) } as never } });
  id = await createSuite(world, 'Shop suite');
  await runSuite(world, id, 4);
});
afterAll(() => world.close());

const tests = (query: object = {}) =>
  call(world, contract.listSuiteTests, { params: { id }, query: query as never });

it('counts outcomes, durations and flakiness, the flakiest test first', async () => {
  const found = await tests();
  expect(found).toMatchObject({ checkId: id, name: 'Shop suite', results: 4 });
  expect(Date.parse(found.from ?? '')).toBeLessThanOrEqual(Date.parse(found.to ?? ''));
  const [signsIn, exportsIt, pays, later] = found.tests;
  expect(signsIn).toMatchObject({
    ...{ title: 'signs in', passed: 2, flaky: 1, failed: 1, skipped: 0, flakiness: 75 },
    ...{ duration_avg: 250, duration_p50: 200, duration_p95: 400, duration_max: 400 },
  });
  expect(signsIn?.runs.map(({ status, duration }) => [status, duration])).toEqual([
    ['passed', 100],
    ['flaky', 400],
    ['failed', 300],
    ['passed', 200],
  ]);
  expect(exportsIt).toMatchObject({ title: 'exports', failed: 3, flakiness: 25 });
  expect(pays?.title).toMatch(/^shop\.spec\.ts › a very .*….*› pays$/);
  expect(pays?.title).toHaveLength(200);
  expect(pays).toMatchObject({ passed: 4, flakiness: 0, duration_max: 9000 });
  expect(later).toMatchObject({ title: 'later', skipped: 4, flakiness: null, duration_p50: null });
});

it('reads as many results as requested, in the requested order and range', async () => {
  const slowest = await tests({ sortBy: 'duration', results: 2 });
  expect(slowest.results).toBe(2);
  expect(slowest.tests[0]).toMatchObject({ passed: 2, duration_max: 8000 });
  expect((await tests({ sortBy: 'failures' })).tests[0]?.title).toBe('exports');
  expect((await tests({ sortBy: 'title' })).tests.map(({ title }) => title.slice(0, 5))).toEqual([
    ...['expor', 'later', 'shop.', 'signs'],
  ]);
  const to = Math.floor(world.now() / 1000) - 3600;
  expect(await tests({ from: to - 60, to })).toMatchObject({ results: 0, from: null, to: null, tests: [] });
  const reversed = await ask(world, contract.listSuiteTests, { params: { id }, query: { from: 10, to: 5 } });
  expect([reversed.status, JSON.stringify(reversed.body)]).toEqual([
    400,
    expect.stringContaining('before from'),
  ]);
});

it('is not found for a check of another type, or of another account', async () => {
  const dns = await call(world, contract.createUrlCheck, {
    body: { name: 'u', request: { url: 'https://example.com' }, activated: false },
  });
  const other = { ...world, ...(await world.newAccount()) };
  const status = async (from: typeof world, checkId: string) =>
    (await ask(from, contract.listSuiteTests, { params: { id: checkId } })).status;
  expect([await status(world, String(dns.id)), await status(other, id)]).toEqual([404, 404]);
});

it('has metrics of the numbers of tests', async () => {
  const metrics = 'testsPassed,testsFailed,testsFlaky,testsSkipped,testsFailed_sum';
  const { series } = (await call(
    world,
    contract.getPlaywrightCheckAnalytics as never,
    {
      params: { id },
      query: { metrics },
    } as never,
  )) as { series: { data: Record<string, unknown>[] }[] };
  expect(series[0]?.data[1]).toMatchObject({
    testsPassed: 1,
    testsFailed: 1,
    testsFlaky: 1,
    testsSkipped: 1,
  });
});

it('are shown on the page of the check', async () => {
  const cookie = await signIn(world, world.apiKey);
  const page = await (await get(world, `/checks/${id}`, { cookie })).text();
  for (const words of [
    ...['Tests in the last 4 results', 'tests failed in 3 of 4 results', 'Durations of the slowest tests'],
    ...['signs in', '2 passed, 1 flaky, 1 failed', '75%', '4 skipped', '3 failed'],
  ])
    expect(page).toContain(words);
  expect(page.indexOf('signs in</bdi>')).toBeLessThan(page.indexOf('exports</bdi>'));
});

it('are listed on the command line, for people and programs', async () => {
  const options = { env: { ...envOf(world), NO_COLOR: '1' }, columns: 140 };
  const { stdout } = await well(listTests, ['Shop suite'], {
    ...options,
    isTTY: { stdout: true, stderr: true },
  });
  expect(stdout).toMatch(/signs in +75 +1 +200ms +400ms +400ms +▂~×▂/);
  const json = await well(listTests, [id, '--json', '--sort-by', 'duration', '--results', '1'], options);
  expect(JSON.parse(json.stdout)[0]).toMatchObject({ duration_p50: 8000, runs: [{ status: 'passed' }] });
});
