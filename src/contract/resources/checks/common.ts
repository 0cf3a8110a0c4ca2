/** Fields that all check types share, and builders of the schemas of a type. Specification: DNS check, Browser check. */

import { UPTIME_FREQUENCIES } from '../../enumerations.ts';
import { RESOURCE_NAME_LIMIT } from '../../limits.ts';
import {
  allOptional,
  array,
  boolean,
  closed,
  date,
  dateTime,
  integer,
  type Notes,
  noted,
  nullable,
  number,
  oneOf,
  oneOfNumbers,
  open,
  openOneOf,
  optional,
  string,
  Type,
} from '../../schema.ts';
import {
  alertChannelSubscriptions,
  alertChannels,
  alertSettings,
  dependsOn,
  description500,
  doubleCheck,
  environmentVariable,
  locations,
  privateLocations,
  retryStrategy,
  runtimeId,
  tags,
  triggerIncident,
} from '../shared.ts';

export const checkName = string('Name of the check', RESOURCE_NAME_LIMIT);

/** Fields of every check: notifications and organization. */
export const standingFields = {
  activated: boolean('Whether the check is active', { default: true }),
  muted: boolean('Whether notifications are muted', { default: false }),
  tags,
  alertSettings,
  useGlobalAlertSettings: boolean("Whether the account's alert settings override the check's", {
    default: true,
  }),
  groupId: nullable(number('ID of the group that the check belongs to', { 'x-unset': 0 })),
  groupOrder: nullable(number('Position of the check when its group is triggered', { minimum: 0 })),
  alertChannelSubscriptions,
  triggerIncident,
  dependsOn,
  description: description500,
};

/** Locations, and how runs are evaluated. */
export const runFields = {
  shouldFail: boolean('Whether the target must fail: inverts the failure condition, not the assertions', {
    default: false,
  }),
  locations: nullable(
    noted(locations, {
      description:
        'Public locations to run from, in rotation unless runParallel is true; default: chosen by the service',
    }),
  ),
  runParallel: boolean('Whether the check runs in all locations in parallel', { default: false }),
  privateLocations,
};

/** Fields of all types that run in locations and have retries. */
export const commonFields = {
  ...standingFields,
  ...runFields,
  doubleCheck,
  runtimeId,
  retryStrategy,
};

/** Schedule of uptime checks: API, DNS, ICMP, TCP and URL. */
export const uptimeSchedule = {
  frequency: oneOfNumbers(UPTIME_FREQUENCIES, 'Minutes between runs; 0: run every frequencyOffset seconds', {
    default: 10,
    'x-unit': 'minutes',
    'x-values': 'frequencies',
  }),
  frequencyOffset: integer(
    'Offset of the schedule: in seconds (10, 20, 30) at frequency 0, in steps of 6 s up to 60 minutes, in hours above',
    { minimum: 1 },
  ),
};

interface ResponseTimes {
  readonly degraded: number;
  readonly most: number;
  readonly maximum: number;
}

/** Response time limits in ms; `notes` if only docs/gaps.md has the figures. */
export function responseTimes({ degraded, most, maximum }: ResponseTimes, notes: Notes = {}) {
  const at = (what: string, value: number) =>
    nullable(
      number(`Response time, in milliseconds, at which the check ${what}`, {
        ...{ default: value, minimum: 0, maximum },
        'x-unit': 'ms',
        ...notes,
      }),
    );
  return { degradedResponseTime: at('is degraded', degraded), maxResponseTime: at('fails', most) };
}
/** Marks limits that only docs/gaps.md has. */
export const OF_GAPS: Notes = { 'x-gaps': ['default', 'minimum', 'maximum'] };

const IP_FAMILIES = ['IPv4', 'IPv6'] as const;
export const ipFamily = oneOf(IP_FAMILIES, 'IP version of the connection', {
  default: 'IPv4',
  'x-gaps': ['enum', 'default'],
});
export const hostname = string('Name or IP address of the host, without scheme and port', {
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\s/]+$',
  'x-gaps': ['minLength', 'maxLength', 'pattern'],
});

export const sendTraceparent = boolean(
  'Whether requests carry a traceparent header (W3C Trace Context), which continues the trace of the session',
  { default: false },
);
export const scriptPath = nullable(string('Path of the script in your repository'));
export const dependencies = nullable(
  array(
    closed({ path: string('Path of the file'), content: string('Content of the file') }),
    'Files that the script imports',
  ),
);
/** Variables of a check that its request can also reference. */
export const environmentVariablesOf = (description: string) =>
  nullable(array(environmentVariable, description, { maxItems: 100 }));

/** Fields that only responses have. */
export const answerFields = {
  id: string('ID of the check'),
  alertChannels,
  created_at: date('Creation time'),
  updated_at: nullable(dateTime('Time of the last change')),
};

/** Response schema of a type. */
export function answerOf<const T extends string, P extends Type.TProperties>(
  { type, title }: { readonly type: T; readonly title: string },
  fields: P,
) {
  return open(
    {
      name: checkName,
      ...fields,
      checkType: optional(openOneOf([type], 'Type of the check')),
      ...allOptional(answerFields),
    },
    { title },
  );
}

/** Body that updates a check of a type; absent fields stay unchanged. */
export const changeOf = <P extends Type.TProperties>(body: Type.TObject<P>, title: string) =>
  Type.Partial(body, { additionalProperties: false, title });

/**
 * Returns the schemas of a type that only docs/gaps.md describes: the create body, the response, and the update body.
 * `required`: fields that a check of the type must have; `others`: optional fields.
 */
export function schemasOf<const T extends string, R extends Type.TProperties, O extends Type.TProperties>(
  { type, title }: { readonly type: T; readonly title: string },
  required: R,
  others: O,
) {
  const fields = { ...required, ...allOptional(others) };
  const body = closed({ name: checkName, ...fields }, { title: `${title}Request` });
  return { body, answer: answerOf({ type, title }, fields), change: changeOf(body, `${title}Change`) };
}
