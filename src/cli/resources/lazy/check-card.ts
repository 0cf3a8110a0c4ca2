/** Renders a check as a card: status, target, schedule, locations and alerts. */

import { formatDuration } from '../../../base/format-duration.ts';
import type { JsonObject } from '../../../base/object.ts';
import { textWith } from '../../../base/tolerate.ts';
import { checkTypeLabel, isRunnable } from '../../../contract/check-type-facts.ts';
import {
  type Card,
  commands,
  type Fact,
  facts,
  type Section,
  table,
  text,
} from '../../../terminal/card/card.ts';
import { formatCommandLine } from '../../framework/format-command-line.ts';
import type { Deps, Invocation } from '../../framework/index.ts';
import { formatSubscriptions } from '../alert-channels.ts';
import { type Check, formatCheckStatus, formatInterval } from '../check-status.ts';
import { describeCertificate } from './check-certificate.ts';
import { asFields, assertionsOf, packetLossFacts, targetFacts } from './check-target.ts';
import { fetchChannelNames, fetchGroupNames, type Names } from './resource-names.ts';

/** Returns the card. Fetches the names of the group and of the alert channels, and the last certificate. */
export async function checkCard(
  deps: Pick<Deps, 'client' | 'signal' | 'clock'>,
  { globals }: Pick<Invocation, 'globals'>,
  check: Check,
): Promise<Card> {
  const { id, name, activated, groupId, alertChannelSubscriptions: alerted } = check;
  const [groups, channels, certificate] = await Promise.all([
    typeof groupId === 'number' ? fetchGroupNames(deps) : undefined,
    alerted?.length ? fetchChannelNames(deps) : undefined,
    describeCertificate(deps, check),
  ]);
  const isPaused = activated === false;
  const line = (...words: string[]) => formatCommandLine({ globals }, ...words);
  return {
    title: {
      text: name ?? id,
      state: formatCheckStatus(check),
      ...(isPaused ? { tone: 'faint' } : {}),
      aside: typeof check.checkType === 'string' ? checkTypeLabel(check.checkType) : 'check',
    },
    sections: [
      text(check.description ?? ''),
      facts([
        ...targetFacts(check, deps.clock.now()),
        { label: 'Certificate', value: certificate },
        ...scheduleFacts(check, groups),
      ]),
      assertionsTable(check),
      facts([...alertFacts(check, channels), ...dateFacts(check)]),
      commands([
        ...(isPaused || isHeartbeat(check)
          ? []
          : [{ does: 'Run the check', line: line('checks', 'run', id) }]),
        { does: 'List its results', line: line('checks', 'results', id) },
        isPaused
          ? { does: 'Resume the check', line: line('checks', 'resume', id) }
          : { does: 'Pause the check', line: line('checks', 'pause', id) },
      ]),
    ],
  };
}

const isHeartbeat = ({ checkType }: Check): boolean => !isRunnable({ type: checkType });

function scheduleFacts(check: Check, groups: Names | undefined): readonly Fact[] {
  const { groupId, tags, dependsOn } = check;
  return [
    ...(isHeartbeat(check) ? [] : runFacts(check)),
    { label: 'Group', value: groups?.get(groupId) ?? groupId ?? undefined },
    { label: 'Depends on', value: dependsOn?.length ? dependsOn : undefined, kind: 'list' },
    { label: 'Tags', value: tags?.length ? tags : undefined, kind: 'list' },
  ];
}

function formatRetries({ checkType, retryStrategy, doubleCheck = true }: Check): string {
  if (checkType === 'PLAYWRIGHT') return 'set by the suite';
  if (retryStrategy) {
    const { maxRetries, type } = retryStrategy;
    return `at most ${maxRetries ?? 2}, ${(type ?? 'FIXED').toLowerCase()}`;
  }
  return retryStrategy === undefined && doubleCheck ? 'once, immediately' : 'none';
}

/** Formats the degraded threshold. A check that fails at the same time is never degraded. */
function formatDegraded(degraded: unknown, most: unknown): string | undefined {
  if (typeof degraded !== 'number') return undefined;
  return typeof most === 'number' && degraded >= most
    ? 'never (the check fails first)'
    : formatDuration(degraded);
}

/** Returns the schedule, the locations and the thresholds of runs. */
function runFacts(check: Check): readonly Fact[] {
  const { locations, privateLocations, runParallel, shouldFail } = check;
  const allLocations = [...(locations ?? []), ...(privateLocations ?? [])];
  const { maxResponseTime, degradedResponseTime } = asFields(check);
  const mode = allLocations.length > 1 ? (runParallel ? ' (in parallel)' : ' (rotating)') : '';
  return [
    { label: 'Interval', value: formatInterval(check) || undefined },
    {
      label: 'Next run',
      value: check.activated === false ? undefined : (check.nextRunAt ?? undefined),
      kind: 'time',
    },
    {
      label: 'Locations',
      value: allLocations.length > 0 ? `${allLocations.join(', ')}${mode}` : 'chosen by the service',
    },
    { label: 'Retries', value: formatRetries(check) },
    { label: 'Degraded at', value: formatDegraded(degradedResponseTime, maxResponseTime) },
    {
      label: 'Failed at',
      value: typeof maxResponseTime === 'number' ? formatDuration(maxResponseTime) : undefined,
    },
    ...packetLossFacts(check),
    { label: 'Inverted', value: shouldFail ? 'the check must fail' : undefined },
  ];
}

function assertionsTable(check: Check): Section {
  return table({
    heading: 'Assertions',
    columns: [
      {
        key: 'source',
        priority: 100,
        value: ({ source, property }: JsonObject) => textWith`${source}${property ? `(${property})` : ''}`,
      },
      { key: 'comparison', priority: 95 },
      { key: 'target', priority: 90 },
    ],
    rows: assertionsOf(check),
  });
}

function alertFacts(check: Check, names: Names | undefined): readonly Fact[] {
  const { muted, useGlobalAlertSettings, alertChannelSubscriptions, triggerIncident } = check;
  const channels = formatSubscriptions(alertChannelSubscriptions ?? [], names);
  return [
    { label: 'Alerts', value: channels.length > 0 ? channels : 'none', kind: 'list' },
    {
      label: 'Alert settings',
      value: useGlobalAlertSettings === false ? 'from the check' : 'from the account',
    },
    { label: 'Muted', value: muted || undefined },
    { label: 'Incident', value: triggerIncident?.name },
  ];
}

const dateFacts = ({ created_at: created, updated_at: updated, id }: Check): readonly Fact[] => [
  { label: 'Created', value: created, kind: 'time' },
  { label: 'Updated', value: updated ?? undefined, kind: 'time' },
  { label: 'ID', value: id, kind: 'id' },
];
