/** `sonde alert-notifications list`: lists sent and pending alert notifications. */

import { defineCommand } from '../../src/cli/framework/index.ts';
import { printList } from '../../src/cli/framework/print-list.ts';
import type { EntryOf } from '../../src/client/index.ts';
import { listAlertNotifications } from '../../src/contract/index.ts';
import type { Column } from '../../src/terminal/index.ts';

type Notification = EntryOf<typeof listAlertNotifications>;

const LABELS: Readonly<Record<string, string>> = {
  ALERT_FAILURE: 'failure',
  ALERT_FAILURE_REMAIN: 'still failing',
  ALERT_FAILURE_DEGRADED: 'now degraded',
  ALERT_RECOVERY: 'recovery',
  ALERT_DEGRADED: 'degraded',
  ALERT_DEGRADED_REMAIN: 'still degraded',
  ALERT_DEGRADED_FAILURE: 'now failing',
  ALERT_DEGRADED_RECOVERY: 'recovery',
  ALERT_SSL: 'certificate',
  ALERT_LOCATION: 'no agent',
  ALERT_LOCATION_RECOVERY: 'agent again',
};

const shown: readonly Column<Notification>[] = [
  { key: 'state', kind: 'status', priority: 95 },
  { key: 'alertType', header: 'alert', priority: 80 },
  { key: 'recipient', priority: 90, minWidth: 12 },
  { key: 'channelType', header: 'channel', priority: 50 },
  { key: 'created_at', header: 'created', kind: 'time', priority: 85 },
  { key: 'attempts', kind: 'number', priority: 40 },
  { key: 'lastError', header: 'last error', priority: 70, minWidth: 20 },
  { key: 'nextAttemptAt', header: 'next', kind: 'time', priority: 60 },
];
const check: Column<Notification> = { key: 'checkId', header: 'check', kind: 'id' };
const id: Column<Notification> = { key: 'id', kind: 'id' };
const alertLabel: Column<Notification> = {
  key: 'alertType',
  header: 'alert',
  priority: 80,
  value: ({ alertType }) => LABELS[alertType] ?? alertType,
};

export const command = defineCommand({
  name: 'alert-notifications list',
  summary: 'List sent and pending alert notifications',
  description:
    'Lists the newest notifications first. A failed delivery is retried, and marked FAILED after the last attempt.',
  endpoint: listAlertNotifications,
  flags: { without: ['hasFailures'] },
  examples: [
    {
      line: 'alert-notifications list --state FAILED --all',
      does: 'List all notifications that could not be delivered',
    },
    {
      line: 'alert-notifications list --check-id 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d',
      does: 'List the notifications of a check',
    },
  ],
  run: (deps, line) =>
    printList(deps, listAlertNotifications, line, {
      noun: 'alert notifications',
      statusOf: ({ state }) => state.toLowerCase(),
      emptyHint: 'A failing check sends notifications through its subscribed alert channels.',
      columns: [...shown, check, id],
      table: { columns: shown.map((column) => (column.key === 'alertType' ? alertLabel : column)) },
    }),
});
