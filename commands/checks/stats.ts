/** `sonde checks stats`: shows how checks did in the last day, week or month. */
import { UsageError } from '../../src/base/errors.ts';
import { argumentList, choice, defineCommand } from '../../src/cli/framework/index.ts';
import { getCheck, listChecks } from '../../src/contract/index.ts';
import { type Column, isHumanReadable, render, toArray } from '../../src/terminal/index.ts';
import {
  type CheckStats,
  drawTrend,
  fetchStats,
  MAX_PERIOD_CHECKS,
  type NamedCheck,
  RANGES,
  type RangeName,
} from './shared/check-stats.ts';

const RANGE_NAMES = Object.keys(RANGES) as readonly RangeName[] as readonly [RangeName, ...RangeName[]];
const FILTERS = ['tag', 'checkType', 'search', 'status'] as const;

const id: Column<CheckStats> = { key: 'id', kind: 'id', isShort: true, priority: 20 };
const name: Column<CheckStats> = { key: 'name', priority: 95, minWidth: 16 };
const trend: Column<CheckStats> = {
  key: 'periods',
  header: 'trend',
  value: ({ periods }) => drawTrend(periods),
  priority: 60,
  minWidth: 24,
};
const certificate: Column<CheckStats> = {
  key: 'sslDaysRemaining',
  header: 'cert days',
  kind: 'number',
  priority: 55,
};
const numbers: readonly Column<CheckStats>[] = [
  {
    key: 'availability',
    header: 'avail (%)',
    value: ({ availability }) => availability && Math.floor(availability * 1000) / 1000,
    kind: 'number',
    priority: 90,
  },
  { key: 'p50', header: 'p50', kind: 'duration', priority: 70 },
  { key: 'p95', header: 'p95', kind: 'duration', priority: 80 },
  { key: 'failures', kind: 'number', priority: 75 },
  { key: 'results', kind: 'number', priority: 50 },
];

export const command = defineCommand({
  name: 'checks stats',
  summary: 'Show the availability and response times of checks',
  description:
    'Counts final results. Names or IDs select checks; without them, the filters do, and --all includes every page. The trend shows the mean ' +
    `response time of each hour, or of each day beyond 24h; × marks failures, and · a period without results. At most ${MAX_PERIOD_CHECKS} ` +
    'checks have a trend and counts. There is no median for 30d. The days until a certificate expires are ' +
    'those of the last result. JSON contains the periods.',
  endpoint: listChecks,
  arguments: {
    ids: argumentList('IDs of the checks', { placeholder: 'check-id', required: false, of: 'check' }),
  },
  options: {
    range: choice(RANGE_NAMES, 'Time range up to now', { default: '24h' }),
  },
  examples: [
    { line: 'checks stats --range 7d --tag shop', does: 'Compare the checks with a tag over a week' },
    { line: 'checks stats "Apex record" --range 30d', does: 'Show a month of one check' },
    { line: 'checks stats --all --output csv', does: 'Write the numbers of all checks as CSV' },
  ],
  async run(deps, { args, input, options, all, output }) {
    const { client, signal, terminal } = deps;
    const given = FILTERS.filter((filter) => input.query?.[filter] !== undefined);
    if (args.ids.length > 0 && given.length > 0)
      throw new UsageError(`check IDs cannot be combined with --${given[0]}`, {
        hint: 'remove the IDs, or remove the filters',
      });
    const api = await client();
    const checks: readonly NamedCheck[] =
      args.ids.length > 0
        ? await Promise.all(
            args.ids.map(
              async (checkId) => (await api.call(getCheck, { params: { id: checkId } }, { signal })).body,
            ),
          )
        : (await toArray(api.pages(listChecks, input, { all, signal }))).flatMap(({ entries }) => entries);
    const stats = await fetchStats(deps, checks, options.range);
    const hasTrend = isHumanReadable(terminal, output) && terminal.stdoutIsTTY && !terminal.plain;
    const hasCertificates = stats.some(({ sslDaysRemaining }) => sslDaysRemaining !== null);
    await render(terminal, {
      kind: 'list',
      data: stats,
      output,
      columns:
        hasTrend && !output.fields
          ? [name, ...numbers, ...(hasCertificates ? [certificate] : []), trend, id]
          : [id, name, ...numbers, certificate],
      empty: 'No checks.',
    });
    if (hasTrend && checks.length > MAX_PERIOD_CHECKS)
      await terminal.note(
        `Trends and counts are shown for at most ${MAX_PERIOD_CHECKS} checks: use a filter.`,
      );
  },
});
