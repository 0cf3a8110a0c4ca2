/** A check as a card: how it stands, what it looks at, when and where it runs, and who is told. */
import { isObject } from '../../../../src/base/object.ts';
import {
  type Card,
  commands,
  type Fact,
  facts,
  type Section,
  table,
  text,
} from '../../../../src/terminal/card/card.ts';
import { duration } from '../../../../src/terminal/index.ts';
import type { Deps, Invocation } from '../../../kernel/index.ts';
import { commandLine } from '../../command-line.ts';
import { alertedChannels } from '../../resources/alert-channels.ts';
import { channelNames, groupNames, type Names } from '../../resources/late/names.ts';
import { type Check, everyText, standingText } from '../standing.ts';

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
      aside: `${check.checkType} check`,
    },
    sections: [
      text(check.description ?? ''),
      facts([...subject(check), ...schedule(check, groups)]),
      assertions(check),
      facts([...told(check, channels), ...ages(check)]),
      commands([
        ...(rests ? [] : [{ does: 'Run it now', line: line('checks', 'run', id) }]),
        { does: 'Its results', line: line('checks', 'results', id) },
        rests
          ? { does: 'Let it run again', line: line('checks', 'resume', id) }
          : { does: 'Let it rest', line: line('checks', 'pause', id) },
      ]),
    ],
  };
}

/** What the types have each for itself. */
const fieldsOf = (check: Check): Fields => check;

function subject(check: Check): readonly Fact[] {
  const { request, script, environmentVariables, sslCheckDomain } = fieldsOf(check);
  if (isObject(request)) {
    const { query, recordType, nameServer, port, protocol } = request;
    const server = nameServer === undefined ? "the location's own" : `${nameServer}, port ${port}`;
    return [
      { label: 'Looks up', value: `${query} ${recordType ?? 'A'}` },
      { label: 'Asks', value: `${server}, over ${protocol ?? 'UDP'}` },
    ];
  }
  const variables = Array.isArray(environmentVariables) ? environmentVariables : [];
  return [
    { label: 'Script', value: typeof script === 'string' ? `${script.split('\n').length} lines` : undefined },
    { label: 'Runtime', value: check.runtimeId ?? undefined },
    { label: 'Certificate of', value: sslCheckDomain ?? undefined },
    {
      label: 'Variables',
      value:
        variables.length > 0 ? variables.map((each: unknown) => (isObject(each) ? each.key : '')) : undefined,
      kind: 'list',
    },
  ];
}

function schedule(check: Check, groups: Names | undefined): readonly Fact[] {
  const {
    locations,
    privateLocations,
    runParallel,
    retryStrategy: retries,
    shouldFail,
    groupId,
    tags,
  } = check;
  const places = [...(locations ?? []), ...(privateLocations ?? [])];
  const { maxResponseTime, degradedResponseTime } = fieldsOf(check);
  const turns = places.length > 1 ? (runParallel ? ' (all at once)' : ' (in turn)') : '';
  return [
    { label: 'Every', value: everyText(check) || undefined },
    {
      label: 'Next run',
      value: check.activated === false ? undefined : (check.nextRunAt ?? undefined),
      kind: 'time',
    },
    {
      label: 'From',
      value: places.length > 0 ? `${places.join(', ')}${turns}` : 'where the service chooses',
    },
    {
      label: 'Retries',
      value: retries
        ? `${retries.maxRetries ?? 2} at most, ${(retries.type ?? 'FIXED').toLowerCase()}`
        : 'none',
    },
    {
      label: 'Degraded from',
      value: typeof degradedResponseTime === 'number' ? duration(degradedResponseTime) : undefined,
    },
    {
      label: 'Failing from',
      value: typeof maxResponseTime === 'number' ? duration(maxResponseTime) : undefined,
    },
    { label: 'Turned around', value: shouldFail ? 'failing is what is expected' : undefined },
    { label: 'Group', value: groups?.get(groupId) ?? groupId ?? undefined },
    { label: 'Tags', value: tags?.length ? tags : undefined, kind: 'list' },
  ];
}

function assertions(check: Check): Section {
  const { request } = fieldsOf(check);
  const its = isObject(request) && Array.isArray(request.assertions) ? request.assertions : [];
  return table({
    heading: 'What must hold',
    columns: [
      {
        key: 'source',
        priority: 100,
        value: ({ source, property }: Fields) => `${source}${property ? `(${property})` : ''}`,
      },
      { key: 'comparison', priority: 95 },
      { key: 'target', priority: 90 },
    ],
    rows: its.filter(isObject),
  });
}

function told(check: Check, names: Names | undefined): readonly Fact[] {
  const { muted, useGlobalAlertSettings, alertChannelSubscriptions = [], triggerIncident } = check;
  const channels = alertedChannels(alertChannelSubscriptions, names);
  return [
    { label: 'Alerts', value: channels.length > 0 ? channels : 'nobody', kind: 'list' },
    { label: 'Alert settings', value: useGlobalAlertSettings === false ? 'its own' : "the account's" },
    { label: 'Muted', value: muted || undefined },
    { label: 'Opens an incident', value: triggerIncident?.name },
  ];
}

const ages = ({ created_at: created, updated_at: updated, id }: Check): readonly Fact[] => [
  { label: 'Created', value: created, kind: 'time' },
  { label: 'Changed', value: updated ?? undefined, kind: 'time' },
  { label: 'Check', value: id, kind: 'id' },
];
