/** `sonde test-sessions list`: lists test sessions, newest first (GET /v1/test-sessions). */

import { defineCommand } from '../../src/cli/framework/index.ts';
import {
  printWatchableList,
  WATCH_DESCRIPTION,
  watchOptions,
} from '../../src/cli/framework/watchable-list.ts';
import { listTestSessions } from '../../src/contract/index.ts';

/** Labels of the statuses. An unknown status counts as running. */
const LABELS: Readonly<Record<string, string>> = {
  PASSED: 'passed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
};

export const command = defineCommand({
  name: 'test-sessions list',
  summary: 'List test sessions, newest first',
  description: WATCH_DESCRIPTION,
  endpoint: listTestSessions,
  options: watchOptions,
  // "--no-users" would be the opposite of "--users".
  flags: { names: { noUsers: 'without-user' } },
  examples: [
    { line: 'test-sessions list --limit 5', does: 'List the last five test sessions' },
    { line: 'test-sessions list --watch', does: 'Follow the test sessions' },
    {
      line: 'test-sessions list --limit 1 --jq ".[].testSessionId" | sonde test-sessions wait -',
      does: 'Wait for the newest test session',
    },
  ],
  run: (deps, line) =>
    printWatchableList(deps, listTestSessions, line, {
      idOf: ({ testSessionId }) => testSessionId,
      stateOf: ({ timeElapsed: _, ...session }) => session,
      noun: 'test sessions',
      statusOf: ({ status }) => LABELS[status] ?? 'running',
      emptyHint: 'Start one with "sonde test-sessions run <check-id> --run-location eu-west-1".',
      columns: [
        { key: 'testSessionId', header: 'test session', kind: 'id', isShort: true },
        { key: 'status', kind: 'status' },
        { key: 'name', priority: 75, minWidth: 24 },
        { key: 'startedAt', header: 'started', kind: 'time', priority: 60 },
        { key: 'timeElapsed', header: 'took', kind: 'duration' },
        { key: 'region', header: 'location', priority: 45 },
        { key: 'environment', priority: 40, isRedundant: true },
        { key: 'branchName', header: 'branch', priority: 35, isRedundant: true },
        { key: 'commitId', header: 'commit', priority: 30, isRedundant: true },
      ],
    }),
});
