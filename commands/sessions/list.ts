/** `sonde sessions list`: lists check sessions, newest first (GET /v2/check-sessions). */

import { defineCommand } from '../../src/cli/framework/index.ts';
import {
  printWatchableList,
  WATCH_DESCRIPTION,
  watchOptions,
} from '../../src/cli/framework/watchable-list.ts';
import { listCheckSessions } from '../../src/contract/index.ts';

/** Labels of the final statuses. An unknown status counts as running. */
const LABELS: Readonly<Record<string, string>> = {
  PASSED: 'passed',
  DEGRADED: 'degraded',
  FAILED: 'failed',
  TIMED_OUT: 'timed out',
  CANCELLED: 'cancelled',
};

export const command = defineCommand({
  name: 'sessions list',
  summary: 'List check sessions, newest first',
  description: WATCH_DESCRIPTION,
  endpoint: listCheckSessions,
  options: watchOptions,
  examples: [
    { line: 'sessions list --status FAILED --limit 5', does: 'List the last five failed sessions' },
    { line: 'sessions list --watch', does: 'Follow the sessions' },
    {
      line: 'sessions list --status PROGRESS --jq ".[].checkSessionId" | sonde sessions cancel -',
      does: 'Cancel all running sessions',
    },
  ],
  run: (deps, line) =>
    printWatchableList(deps, listCheckSessions, line, {
      idOf: ({ checkSessionId }) => checkSessionId,
      stateOf: ({ timeElapsed: _, ...session }) => session,
      noun: 'check sessions',
      statusOf: ({ status }) => LABELS[status] ?? 'running',
      emptyHint: 'Start one with "sonde checks run <check-id>", or wait for the schedule of a check.',
      columns: [
        { key: 'checkSessionId', header: 'session', kind: 'id', isShort: true },
        { key: 'status', kind: 'status' },
        {
          key: 'name',
          header: 'check',
          value: ({ name, checkId }) => name ?? checkId,
          priority: 75,
          minWidth: 24,
        },
        { key: 'startedAt', header: 'started', kind: 'time', priority: 60 },
        { key: 'timeElapsed', header: 'took', kind: 'duration' },
        { key: 'runLocations', header: 'locations', kind: 'list', priority: 45, isRedundant: true },
        { key: 'runSource', header: 'started by', priority: 40, isRedundant: true },
        { key: 'checkType', header: 'type', priority: 30, isRedundant: true },
      ],
    }),
});
