/** Defines the commands that create checks. The row of a type in `src/contract/check-types.ts` names its flags. */

import { isObject } from '../../../src/base/object.ts';
import { formatCommandLine } from '../../../src/cli/framework/format-command-line.ts';
import {
  type Command,
  type Deps,
  defineCommand,
  type Example,
  type Invocation,
} from '../../../src/cli/framework/index.ts';
import type {
  BodySource,
  CommandDefinition,
  FlagOverrides,
  Interview,
  UntypedFlagOverrides,
} from '../../../src/cli/framework/types.ts';
import { type CheckType, isRunnable } from '../../../src/contract/check-type-facts.ts';
import { CHECK_TYPES } from '../../../src/contract/generated/check-types.js';
import {
  type BodyOf,
  type createBrowserCheck,
  type Endpoint,
  getCheck,
  type ResponseOf,
} from '../../../src/contract/index.ts';
import { type Column, render } from '../../../src/terminal/index.ts';

/** Schedule, locations and thresholds. */
export const RUN_FIELDS = [
  'activated',
  'locations',
  'privateLocations',
  'frequency',
  'frequencyOffset',
  'runParallel',
  'retryStrategy',
  'degradedResponseTime',
  'maxResponseTime',
  'shouldFail',
] as const;

/** The same without an offset and response times. */
export const LOCATION_FIELDS = [
  'activated',
  'locations',
  'privateLocations',
  'frequency',
  'runParallel',
  'retryStrategy',
  'shouldFail',
] as const;

export const PACKET_LOSS_FIELDS = ['degradedPacketLossThreshold', 'maxPacketLossThreshold'] as const;

export const HEARTBEAT_FIELDS = [
  'heartbeat.period',
  'heartbeat.periodUnit',
  'heartbeat.cron',
  'heartbeat.timezone',
  'heartbeat.grace',
  'heartbeat.graceUnit',
] as const;

export const SCRIPT_FIELDS = [
  'environmentVariables',
  'runtimeId',
  'dependencies',
  'playwrightConfig',
] as const;

export const ALERT_FIELDS = [
  'muted',
  'alertSettings',
  'useGlobalAlertSettings',
  'alertChannelSubscriptions',
  'autoAssignAlerts',
  'triggerIncident',
] as const;

export const ORGANIZATION_FIELDS = ['tags', 'description', 'groupId', 'groupOrder'] as const;

type Browser = ResponseOf<typeof createBrowserCheck>;
/** The printed fields that the responses of all types have. */
type CreatedCheck = Partial<Omit<Browser, 'name' | 'script' | 'frequency'>> &
  Pick<Browser, 'name'> & { readonly frequency?: number };

const SWITCHES: readonly Column<CreatedCheck>[] = [
  { key: 'activated', kind: 'boolean' },
  { key: 'muted', kind: 'boolean' },
];
const SCHEDULE: readonly Column<CreatedCheck>[] = [
  { key: 'frequency', header: 'interval (minutes)', kind: 'number' },
  ...SWITCHES,
  { key: 'locations', kind: 'list' },
  { key: 'privateLocations', kind: 'list' },
];

interface CheckView<C> {
  readonly type: CheckType;
  readonly targetColumns?: readonly Column<C>[];
  /** Whether checks of this type have a runtime. */
  readonly hasRuntime?: boolean;
}

/** Prints a note on stderr, then the check. */
export async function printCreatedCheck<C extends CreatedCheck>(
  { terminal }: Pick<Deps, 'terminal'>,
  line: Pick<Invocation, 'globals' | 'output'>,
  check: C,
  { type, targetColumns = [], hasRuntime = false }: CheckView<C>,
): Promise<void> {
  const noun = `${CHECK_TYPES[type].label} check`;
  await terminal.note(`Created ${noun} ${check.name} (${check.id}).`);
  const isRun = isRunnable({ type });
  const columns: readonly Column<C>[] = [
    { key: 'id', kind: 'id' },
    { key: 'name' },
    ...targetColumns,
    ...(isRun ? SCHEDULE : SWITCHES),
    ...(hasRuntime ? [{ key: 'runtimeId', header: 'runtime' }] : []),
    { key: 'tags', kind: 'list' },
  ];
  await render(terminal, {
    kind: 'item',
    data: check,
    output: line.output,
    columns,
    card: async (shown) =>
      (await import('../../../src/cli/resources/lazy/resource-card.ts')).itemCard(noun, columns, shown),
  });
  if (terminal.stderrIsTTY && check.id !== undefined && isRun) {
    await terminal.note(
      `To run the check and wait for its verdict, run:\n  ${formatCommandLine(line, 'checks', 'run', check.id)}`,
    );
  }
}

/** The prompts for the schedule. */
export const LOCATION_STEPS: Interview['steps'] = [
  { flag: 'locations', message: 'Locations' },
  { flag: 'frequency', message: 'Frequency' },
];
export const RUN_STEPS: Interview['steps'] = [
  ...LOCATION_STEPS,
  { flag: 'frequency-offset', message: 'Seconds between runs', when: ['frequency', '0'] },
];

/** Returns the body of a check. Reports a file that contains a check of another type. */
export function bodyOfType(
  type: CheckType,
  fields: Readonly<Record<string, unknown>>,
  { responseOnly: { checkType, id }, reportProblem, placeOf, warn }: Omit<BodySource, 'args' | 'options'>,
): Record<string, unknown> {
  if (checkType !== undefined && checkType !== type)
    reportProblem({
      place: placeOf(['checkType']) ?? 'checkType',
      message: `checkType must be ${type} for this command, not ${JSON.stringify(checkType)}`,
    });
  const { heartbeat } = fields;
  if (id === undefined || !isObject(heartbeat) || typeof heartbeat.pingToken !== 'string')
    return { ...fields };
  const isFromFile = placeOf(['heartbeat', 'pingToken'])?.startsWith('--') !== true;
  if (!isFromFile) return { ...fields };
  // The existing check has the token, and no two checks have the same.
  warn('heartbeat.pingToken of the file belongs to the existing check: the new check gets another one');
  const { pingToken: _, ...others } = heartbeat;
  return { ...fields, heartbeat: others };
}

interface CreateCheckOptions<E extends Endpoint> extends CheckView<ResponseOf<E> & CreatedCheck> {
  readonly description?: string;
  readonly endpoint: E;
  /** The groups of the type; those of all types follow. */
  readonly groups: NonNullable<FlagOverrides<E>['groups']>;
  readonly scheduleFields?: NonNullable<FlagOverrides<E>['groups']>[string];
  readonly warning?: Interview['warning'];
  /** Returns what follows from a body, to show before it is sent. `now`: ms. */
  readonly preview?: (body: NonNullable<BodyOf<E>>, now: number) => string | undefined;
  readonly steps: Interview['steps'];
  readonly examples: readonly Example[];
  /** Prints notes after the check. */
  readonly onCreated?: (deps: Deps, created: ResponseOf<E>) => Promise<void>;
}

/** Returns `sonde checks create-url`. */
export function createCheckCommand<E extends Endpoint>(of: CreateCheckOptions<E>): CommandDefinition<E> {
  const { description, scheduleFields, warning, steps, examples, onCreated } = of;
  const { path, article, label, flags: names, fill } = CHECK_TYPES[of.type];
  const verb = `create-${path}`;
  const endpoint: Endpoint = of.endpoint;
  const command = defineCommand({
    name: `checks ${verb}`,
    summary: `Create ${article} ${label} check`,
    ...(description === undefined ? {} : { description }),
    endpoint,
    printedBy: getCheck,
    makeBody: (fields, source) => bodyOfType(of.type, fields, source),
    ...(of.preview === undefined ? {} : { preview: of.preview as Command['preview'] }),
    interview: { ...(warning ? { warning } : {}), steps, confirm: 'Create this check?' },
    examples: [
      ...examples,
      { line: `checks ${verb} --example > check.yaml`, does: 'Create an example file' },
    ],
    async run(deps, invocation) {
      const { client, signal } = deps;
      const { body } = await (await client()).call(endpoint, invocation.input, { signal });
      const created = body as ResponseOf<E> & CreatedCheck;
      await printCreatedCheck(deps, invocation, created, of);
      await onCreated?.(deps, created);
    },
  });
  const flags: UntypedFlagOverrides = {
    names,
    fill,
    groups: {
      ...of.groups,
      ...(scheduleFields ? { 'Schedule and locations': scheduleFields } : {}),
      Notifications: ALERT_FIELDS,
      Organization: ORGANIZATION_FIELDS,
    },
  };
  const untyped: Command = { ...command, flags };
  return untyped as CommandDefinition<E>;
}
