/** `sonde checks results`: lists the raw results of a check (GET /v2/check-results/{checkId}, or endpoint 20). */

import { isObject } from '../../src/base/object.ts';
import { argument, defineCommand, flag } from '../../src/cli/framework/index.ts';
import { printList } from '../../src/cli/framework/print-list.ts';
import {
  type Input,
  listCheckResults,
  listCheckResultsDeprecated,
  type ResponseOf,
} from '../../src/contract/index.ts';
import type { Column } from '../../src/terminal/index.ts';

type Result = ResponseOf<typeof listCheckResultsDeprecated>[number];

/** Returns the outcome of a result. A monitor error takes precedence over a failure. */
function outcomeOf(result: Result): string {
  if (result.isCancelled) return 'CANCELLED';
  if (result.hasErrors) return 'ERROR';
  if (result.hasFailures) return 'FAILED';
  return result.isDegraded ? 'DEGRADED' : 'PASSED';
}

const LABELS: Readonly<Record<string, string>> = { ERROR: 'in error' };
const outcomeLabel = (result: Result): string => LABELS[outcomeOf(result)] ?? outcomeOf(result).toLowerCase();

const columns: readonly Column<Result>[] = [
  { key: 'id', kind: 'id' },
  { key: 'outcome', value: outcomeOf, kind: 'status' },
  {
    key: 'startedAt',
    header: 'started',
    value: (result) => result.startedAt ?? result.created_at,
    kind: 'time',
  },
  { key: 'runLocation', header: 'location', priority: 60 },
  { key: 'responseTime', header: 'took', kind: 'duration', priority: 70 },
  { key: 'attempts', header: 'retries', kind: 'number', priority: 40 },
  { key: 'resultType', header: 'type', priority: 30 },
];

/** Returns what a job reported with a ping: its message, or else the last line of its output. */
function reportOf(details: unknown): string | undefined {
  const { message, output } = isObject(details) ? details : {};
  if (typeof message === 'string') return message;
  return typeof output === 'string' ? output.trimEnd().split('\n').at(-1) : undefined;
}

/** Columns of the table: with error details, and the ID last. */
const columnsForPeople: readonly Column<Result>[] = [
  { key: 'outcome', value: outcomeOf, kind: 'status', priority: 90 },
  ...columns.filter(({ key }) => key === 'startedAt'),
  { key: 'runLocation', header: 'location', priority: 80, minWidth: 20 },
  ...columns.filter(({ key }) => key === 'responseTime' || key === 'attempts'),
  {
    key: 'errors',
    header: 'details',
    value: ({ errors, agenticCheckResult, heartbeatCheckResult }) =>
      errors?.[0] ?? agenticCheckResult?.summary ?? reportOf(heartbeatCheckResult),
    priority: 75,
    minWidth: 18,
    lines: 2,
  },
  { key: 'id', kind: 'id', priority: 10, isRedundant: true },
];

export const command = defineCommand({
  name: 'checks results',
  summary: 'List the raw results of a check, at most 6 hours at a time',
  endpoint: listCheckResults,
  // The command has its own flag for the columns to print.
  flags: { without: ['fields'] },
  instead: { deprecatedListing: listCheckResultsDeprecated },
  arguments: { checkId: argument('ID of the check', { param: 'checkId', of: 'check' }) },
  options: {
    deprecatedListing: flag('Use the deprecated endpoint GET /v1/check-results/{checkId}, with --page'),
  },
  examples: [
    {
      line: 'checks results 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d --has-failures',
      does: 'List the failed results of the last 6 hours',
    },
    {
      line: 'checks results 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d --from 1795248000 --to 1795269600 --all --json',
      does: 'Print all results between two times, in Unix seconds, as one array',
    },
  ],
  async run(deps, { input, all, output, options }) {
    const view = {
      columns,
      table: { columns: columnsForPeople },
      statusOf: outcomeLabel,
      noun: 'results',
      emptyHint: 'Without --from and --to, sonde lists only the last 6 hours.',
    };
    if (!options.deprecatedListing) return printList(deps, listCheckResults, { input, all, output }, view);
    // The framework has parsed and validated the line with this endpoint.
    const deprecated = input as Input<typeof listCheckResultsDeprecated>;
    return printList(deps, listCheckResultsDeprecated, { input: deprecated, all, output }, view);
  },
});
