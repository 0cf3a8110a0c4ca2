/** Defines the commands that create checks. */

import { formatCommandLine } from '../../../src/cli/framework/format-command-line.ts';
import {
  type Command,
  type Deps,
  defineCommand,
  type Example,
  type Invocation,
} from '../../../src/cli/framework/index.ts';
import type { FlagOverrides, Interview, UntypedFlagOverrides } from '../../../src/cli/framework/types.ts';
import type { createBrowserCheck, Endpoint, Input, ResponseOf } from '../../../src/contract/index.ts';
import { type Column, type OutputOptions, render, type Terminal } from '../../../src/terminal/index.ts';

/** Flags of HTTP requests, for URL and API checks. */
export const HTTP_FLAGS = {
  'request.url': 'url',
  'request.method': 'method',
  'request.followRedirects': 'follow-redirects',
  'request.skipSSL': 'skip-ssl',
  'request.ipFamily': 'ip-family',
  'request.assertions': 'assert',
} as const;

export const API_FLAGS = {
  ...HTTP_FLAGS,
  'request.headers': 'header',
  'request.queryParameters': 'query-parameter',
  'request.body': 'body',
  'request.bodyType': 'body-type',
  'request.basicAuth.username': 'username',
  'request.basicAuth.password': 'password',
} as const;

export const TCP_FLAGS = {
  'request.hostname': 'hostname',
  'request.port': 'port',
  'request.data': 'data',
  'request.ipFamily': 'ip-family',
  'request.assertions': 'assert',
} as const;

export const ICMP_FLAGS = {
  'request.hostname': 'hostname',
  'request.pingCount': 'ping-count',
  'request.ipFamily': 'ip-family',
  'request.assertions': 'assert',
} as const;

export const DNS_FLAGS = {
  'request.query': 'query',
  'request.recordType': 'record-type',
  'request.nameServer': 'name-server',
  'request.port': 'port',
  'request.protocol': 'protocol',
  'request.assertions': 'assert',
} as const;

export const HEARTBEAT_FLAGS = {
  'heartbeat.period': 'period',
  'heartbeat.periodUnit': 'period-unit',
  'heartbeat.grace': 'grace',
  'heartbeat.graceUnit': 'grace-unit',
} as const;

export const AGENTIC_FLAGS = { 'agentRuntime.skills': 'skills' } as const;

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

export const SCRIPT_FIELDS = ['environmentVariables', 'runtimeId', 'dependencies'] as const;

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

interface PrintOptions {
  /** `DNS`, `browser`. */
  readonly type: string;
  readonly output: OutputOptions;
  readonly invocation: Pick<Invocation, 'globals'>;
  /** Columns for the target and the runtime of this type. */
  readonly targetColumns?: readonly Column<CreatedCheck>[];
  readonly runtimeColumns?: readonly Column<CreatedCheck>[];
}

/** Prints a note on stderr, then the check. */
export async function printCreatedCheck(
  terminal: Terminal,
  check: CreatedCheck,
  { type, output, invocation, targetColumns = [], runtimeColumns = [] }: PrintOptions,
): Promise<void> {
  await terminal.note(`Created ${type} check ${check.name} (${check.id}).`);
  // Heartbeat checks have no schedule and no locations.
  const schedule = check.checkType === 'HEARTBEAT' ? SWITCHES : SCHEDULE;
  const columns: readonly Column<CreatedCheck>[] = [
    { key: 'id', kind: 'id' },
    { key: 'name' },
    ...targetColumns,
    ...schedule,
    ...runtimeColumns,
    { key: 'tags', kind: 'list' },
  ];
  await render(terminal, {
    kind: 'item',
    data: check,
    output,
    columns,
    card: async (shown) =>
      (await import('../../../src/cli/resources/lazy/resource-card.ts')).itemCard(
        `${type} check`,
        columns,
        shown,
      ),
  });
  if (terminal.stderrIsTTY && check.id !== undefined && check.checkType !== 'HEARTBEAT') {
    await terminal.note(
      `To run the check and wait for its verdict, run:\n  ${formatCommandLine(invocation, 'checks', 'run', check.id)}`,
    );
  }
}

export interface CreateCheckOptions<E extends Endpoint> {
  /** The last word of the command: `create-url`. */
  readonly verb: string;
  /** The type with its article: `a URL`. */
  readonly type: string;
  readonly description?: string;
  readonly endpoint: E;
  readonly flags: FlagOverrides<E>;
  readonly steps: Interview['steps'];
  readonly examples: readonly Example[];
  /** Columns for the target and the runtime of this type. */
  readonly targetColumns?: readonly Column<ResponseOf<E> & CreatedCheck>[];
  readonly runtimeColumns?: readonly Column<ResponseOf<E> & CreatedCheck>[];
  /** Prints notes after the check. */
  readonly onCreated?: (
    deps: Deps,
    line: Pick<Invocation, 'globals'>,
    created: ResponseOf<E>,
  ) => Promise<void>;
}

/** Returns `sonde checks create-url`. */
export function createCheckCommand<E extends Endpoint>(of: CreateCheckOptions<E>): Command {
  const { verb, type, description, steps, examples, onCreated } = of;
  const endpoint: Endpoint = of.endpoint;
  const command = defineCommand({
    name: `checks ${verb}`,
    summary: `Create ${type} check`,
    ...(description === undefined ? {} : { description }),
    endpoint,
    interview: { steps, confirm: 'Create this check?' },
    examples: [
      ...examples,
      { line: `checks ${verb} --example > check.yaml`, does: 'Create an example file' },
    ],
    async run(deps, invocation) {
      const { client, terminal, signal } = deps;
      const { body } = await (await client()).call(endpoint, invocation.input as Input<Endpoint>, { signal });
      await printCreatedCheck(terminal, body as CreatedCheck, {
        type: type.replace(/^an? /, ''),
        output: invocation.output,
        invocation,
        targetColumns: (of.targetColumns ?? []) as readonly Column<CreatedCheck>[],
        runtimeColumns: (of.runtimeColumns ?? []) as readonly Column<CreatedCheck>[],
      });
      await onCreated?.(deps, invocation, body as ResponseOf<E>);
    },
  });
  return { ...command, flags: of.flags as UntypedFlagOverrides };
}
