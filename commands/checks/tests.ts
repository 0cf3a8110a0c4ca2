/** `sonde checks tests`: shows how the tests of a Playwright check did in its latest results. */
import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { listSuiteTests, type ResponseOf } from '../../src/contract/index.ts';
import { type Column, isHumanReadable, render } from '../../src/terminal/index.ts';

type Test = ResponseOf<typeof listSuiteTests>['tests'][number];

const SIGNS: Readonly<Record<string, string>> = { passed: '▂', flaky: '~', failed: '×', skipped: '·' };
/** Results that fit into a column of a terminal. */
const SHOWN_RUNS = 30;
const drawRuns = ({ runs }: Test): string =>
  runs
    .slice(-SHOWN_RUNS)
    .map(({ status }) => SIGNS[status] ?? '?')
    .join('');

const title: Column<Test> = { key: 'title', header: 'test', priority: 95, minWidth: 24 };
/** Longer titles lose their start in a table for people: the end names the test. */
const MAX_TITLE = 60;
const shortTitle: Column<Test> = {
  ...title,
  value: ({ title: whole }) => (whole.length <= MAX_TITLE ? whole : `…${whole.slice(1 - MAX_TITLE)}`),
};
const numbers: readonly Column<Test>[] = [
  { key: 'flakiness', header: 'flaky (%)', kind: 'number', priority: 90 },
  { key: 'failed', kind: 'number', priority: 85 },
  { key: 'duration_p50', header: 'p50', kind: 'duration', priority: 80 },
  { key: 'duration_p95', header: 'p95', kind: 'duration', priority: 60 },
  { key: 'duration_max', header: 'max', kind: 'duration', priority: 50 },
];
const counts: readonly Column<Test>[] = [
  { key: 'passed', kind: 'number' },
  { key: 'flaky', kind: 'number' },
  { key: 'skipped', kind: 'number' },
];
const trend: Column<Test> = { key: 'runs', header: 'results', value: drawRuns, priority: 70, minWidth: 10 };

export const command = defineCommand({
  name: 'checks tests',
  summary: 'Show the flakiest and slowest tests of a Playwright check',
  description:
    'Reads the latest results with a verdict. The flakiness of a test is the share of results in which it passed only after ' +
    'Playwright repeated it, or passed or failed unlike the result before in the same location. In the column of results, the ' +
    'oldest first, × is a failure, ~ a flaky test, and · a skipped one. JSON contains the duration and status in each result.',
  endpoint: listSuiteTests,
  arguments: { id: argument('ID of the check', { param: 'id', of: 'check' }) },
  examples: [
    {
      line: 'checks tests 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d',
      does: 'List the tests of a check, the flakiest first',
    },
    {
      line: 'checks tests 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d --sort-by duration --results 100',
      does: 'List the slowest tests of the last 100 results first',
    },
  ],
  async run({ client, terminal, signal }, { input, output }) {
    const { body } = await (await client()).call(listSuiteTests, input, { signal });
    const isForPeople = isHumanReadable(terminal, output) && !output.fields;
    await render(terminal, {
      kind: 'list',
      data: body.tests,
      output,
      columns: isForPeople ? [shortTitle, ...numbers, trend] : [title, ...numbers, ...counts],
      empty: 'No tests: the check has no result with tests yet.',
    });
  },
});
