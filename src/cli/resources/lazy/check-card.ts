/** A check as a card: how it stands, what it looks at, when and where it runs, and who is told. */
import {
  type Card,
  commands,
  type Fact,
  facts,
  type Section,
  table,
  text,
} from '../../../terminal/card/card.ts';
import { formatDuration } from '../../../terminal/index.ts';
import { commandLine } from '../../framework/command-line.ts';
import type { Deps, Invocation } from '../../framework/index.ts';
import { alertedChannels } from '../alert-channels.ts';
import { type Check, everyText, standingText } from '../check-status.ts';
import { checkWords } from '../check-type-labels.ts';
import { assertedIn, fieldsOf, lossOf, subjectOf } from './check-target.ts';
import { channelNames, groupNames, type Names } from './resource-names.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What goes on from here is told with the same connection; its group and its channels are named. */
export async function checkCard(
  deps: Pick<Deps, 'client' | 'signal'>,
  { globals }: Pick<Invocation, 'globals'>,
  check: Check,
): Promise<Card> {
  const { id, name, activated, groupId, alertChannelSubscriptions: alerted = [] } = check;
  const [groups, channels] = await Promise.all([
    typeof groupId === 'number' ? groupNames(deps) : undefined,
    alerted.length > 0 ? channelNames(deps) : undefined,
  ]);
  const rests = activated === false;
  const line = (...words: string[]) => commandLine({ globals }, ...words);
  return {
    title: {
      text: name,
      state: standingText(check),
      ...(rests ? { tone: 'faint' } : {}),
      aside: checkWords(check.checkType),
    },
    sections: [
      text(check.description ?? ''),
      facts([...subjectOf(check), ...schedule(check, groups)]),
      assertions(check),
      facts([...told(check, channels), ...ages(check)]),
      commands([
        ...(rests || isPinged(check) ? [] : [{ does: 'Run the check', line: line('checks', 'run', id) }]),
        { does: 'List its results', line: line('checks', 'results', id) },
        rests
          ? { does: 'Resume the check', line: line('checks', 'resume', id) }
          : { does: 'Pause the check', line: line('checks', 'pause', id) },
      ]),
    ],
  };
}

const isPinged = ({ checkType }: Check): boolean => checkType === 'HEARTBEAT';

function schedule(check: Check, groups: Names | undefined): readonly Fact[] {
  const { groupId, tags } = check;
  return [
    ...(isPinged(check) ? [] : runs(check)),
    { label: 'Group', value: groups?.get(groupId) ?? groupId ?? undefined },
    { label: 'Tags', value: tags?.length ? tags : undefined, kind: 'list' },
  ];
}

function retriesOf({ checkType, retryStrategy, doubleCheck = true }: Check): string {
  if (checkType === 'PLAYWRIGHT') return 'set by the suite';
  if (retryStrategy) {
    const { maxRetries = 2, type = 'FIXED' } = retryStrategy;
    return `at most ${maxRetries}, ${type.toLowerCase()}`;
  }
  return retryStrategy === undefined && doubleCheck ? 'once, immediately' : 'none';
}

/** From when on it is degraded; where it fails as soon, it never is. */
function degradedText(degraded: unknown, most: unknown): string | undefined {
  if (typeof degraded !== 'number') return undefined;
  return typeof most === 'number' && degraded >= most
    ? 'never (the check fails first)'
    : formatDuration(degraded);
}

/** When and where it runs, and what its runs come to. */
function runs(check: Check): readonly Fact[] {
  const { locations, privateLocations, runParallel, shouldFail } = check;
  const places = [...(locations ?? []), ...(privateLocations ?? [])];
  const { maxResponseTime, degradedResponseTime } = fieldsOf(check);
  const turns = places.length > 1 ? (runParallel ? ' (in parallel)' : ' (rotating)') : '';
  return [
    { label: 'Interval', value: everyText(check) || undefined },
    {
      label: 'Next run',
      value: check.activated === false ? undefined : (check.nextRunAt ?? undefined),
      kind: 'time',
    },
    {
      label: 'Locations',
      value: places.length > 0 ? `${places.join(', ')}${turns}` : 'chosen by the service',
    },
    { label: 'Retries', value: retriesOf(check) },
    { label: 'Degraded at', value: degradedText(degradedResponseTime, maxResponseTime) },
    {
      label: 'Failed at',
      value: typeof maxResponseTime === 'number' ? formatDuration(maxResponseTime) : undefined,
    },
    ...lossOf(check),
    { label: 'Inverted', value: shouldFail ? 'the check must fail' : undefined },
  ];
}

function assertions(check: Check): Section {
  return table({
    heading: 'Assertions',
    columns: [
      {
        key: 'source',
        priority: 100,
        value: ({ source, property }: Fields) => `${source}${property ? `(${property})` : ''}`,
      },
      { key: 'comparison', priority: 95 },
      { key: 'target', priority: 90 },
    ],
    rows: assertedIn(check),
  });
}

function told(check: Check, names: Names | undefined): readonly Fact[] {
  const { muted, useGlobalAlertSettings, alertChannelSubscriptions = [], triggerIncident } = check;
  const channels = alertedChannels(alertChannelSubscriptions, names);
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

const ages = ({ created_at: created, updated_at: updated, id }: Check): readonly Fact[] => [
  { label: 'Created', value: created, kind: 'time' },
  { label: 'Updated', value: updated ?? undefined, kind: 'time' },
  { label: 'ID', value: id, kind: 'id' },
];
