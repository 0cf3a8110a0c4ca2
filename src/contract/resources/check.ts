/** DNS and browser checks: what they share and what each adds. Specification: DNS check, Browser check. */
import {
  BROWSER_FREQUENCIES,
  CHECK_TYPES,
  DNS_ASSERTION_SOURCES,
  DNS_FREQUENCIES,
  DNS_PROTOCOLS,
  DNS_RECORD_TYPES,
} from '../enumerations.ts';
import {
  allOptional,
  anyObject,
  array,
  boolean,
  closed,
  date,
  dateTime,
  integer,
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
  withoutDefault,
} from '../schema.ts';
import {
  alertChannelSubscriptions,
  alertChannels,
  alertSettings,
  assertion,
  description500,
  doubleCheck,
  environmentVariables,
  localScript,
  locations,
  privateLocations,
  retryStrategy,
  runtimeId,
  snippetId,
  tags,
  triggerIncident,
} from './shared.ts';

const checkName = string('Name of the check');

/** What both check types carry, in requests and answers. */
const commonFields = {
  activated: boolean('Whether the check runs', { default: true }),
  muted: boolean('Whether notifications are held back', { default: false }),
  doubleCheck,
  shouldFail: boolean('Whether failing is what is expected: pass and fail are turned around', {
    default: false,
  }),
  locations: nullable(
    noted(locations, {
      description:
        'Public locations to run from, in turn unless runParallel; where no location is named, the service chooses one',
    }),
  ),
  tags,
  alertSettings,
  useGlobalAlertSettings: boolean("Whether the account's alert settings apply instead of the check's", {
    default: true,
  }),
  groupId: nullable(number('Id of the group it belongs to')),
  groupOrder: nullable(number('Its place in the order of a triggered group', { minimum: 0 })),
  runtimeId,
  alertChannelSubscriptions,
  retryStrategy,
  triggerIncident,
  runParallel: boolean('Whether it runs in all locations at once', { default: false }),
  description: description500,
  privateLocations,
};

const scriptPath = nullable(string('Where the script stands in your repository'));

const dnsRequest = closed(
  {
    query: string('Name that is looked up', {
      minLength: 1,
      maxLength: 100,
      'x-gaps': ['minLength', 'maxLength'],
    }),
    ...allOptional({
      recordType: oneOf(DNS_RECORD_TYPES, 'Record type that is asked for', {
        default: 'A',
        'x-gaps': ['*'],
        'x-values': 'recordTypes',
      }),
      nameServer: string('Name server that is asked, given together with its port', {
        minLength: 1,
        'x-gaps': ['minLength'],
      }),
      port: number('Port of the name server', {
        minimum: 1,
        maximum: 65535,
        multipleOf: 1,
        'x-gaps': ['minimum', 'maximum', 'multipleOf'],
      }),
      protocol: oneOf(DNS_PROTOCOLS, 'How the name server is asked', {
        default: 'UDP',
        'x-gaps': ['enum', 'default'],
      }),
      assertions: array(assertion(DNS_ASSERTION_SOURCES), 'What must hold of the answer'),
    }),
  },
  {
    title: 'DnsRequest',
    description: 'What is looked up, where, and what must hold of the answer',
    'x-gaps': ['required'],
  },
);

const dnsFields = {
  frequency: oneOfNumbers(DNS_FREQUENCIES, 'Minutes between two runs; 0: every frequencyOffset seconds', {
    default: 10,
    'x-unit': 'minutes',
    'x-values': 'frequencies',
  }),
  frequencyOffset: integer(
    'Phase of the schedule: seconds (10, 20, 30) at frequency 0, steps of 6 s up to 60 minutes, hours above',
    { minimum: 1 },
  ),
  degradedResponseTime: nullable(
    number('Milliseconds at which the check counts as degraded', {
      default: 500,
      minimum: 0,
      maximum: 5000,
      'x-unit': 'ms',
    }),
  ),
  maxResponseTime: nullable(
    number('Milliseconds at which the check counts as failing', {
      default: 1000,
      minimum: 0,
      maximum: 5000,
      'x-unit': 'ms',
    }),
  ),
};

/** Body of endpoint 2. */
export const dnsCheckBody = closed(
  {
    name: checkName,
    request: dnsRequest,
    heartbeat: anyObject('Required by the specification, without meaning for DNS'),
    script: string('Required by the specification, without meaning for DNS'),
    ...allOptional(commonFields),
    ...allOptional(dnsFields),
    ...allOptional({
      scriptPath,
      sslCheckDomain: string('Without meaning for DNS'),
      environmentVariables: noted(environmentVariables, { description: 'Relevant only to browser checks' }),
      setupSnippetId: snippetId('setup'),
      tearDownSnippetId: snippetId('teardown'),
      localSetupScript: localScript('setup'),
      localTearDownScript: localScript('teardown'),
    }),
  },
  { title: 'DnsCheckRequest' },
);
export type DnsCheckBody = Type.Static<typeof dnsCheckBody>;

const answerFields = {
  id: string('Id of the check'),
  alertChannels,
  created_at: date('When it was created'),
  updated_at: nullable(dateTime('When it was last changed')),
};

export const dnsCheck = open(
  {
    name: checkName,
    request: optional(dnsRequest),
    ...allOptional(commonFields),
    ...allOptional({
      ...dnsFields,
      degradedResponseTime: withoutDefault(dnsFields.degradedResponseTime),
      maxResponseTime: withoutDefault(dnsFields.maxResponseTime),
    }),
    checkType: optional(openOneOf(['DNS'], 'Type of the check')),
    ...allOptional(answerFields),
  },
  { title: 'DnsCheck' },
);
export type DnsCheck = Type.Static<typeof dnsCheck>;

const browserFields = {
  frequency: oneOfNumbers(BROWSER_FREQUENCIES, 'Minutes between two runs', {
    default: 10,
    'x-unit': 'minutes',
    'x-values': 'frequencies',
  }),
  environmentVariables,
  scriptPath,
  dependencies: nullable(
    array(
      closed({ path: string('Path of the file'), content: string('What stands in it') }),
      'Files that the script imports',
    ),
  ),
  sslCheckDomain: nullable(string('Fully qualified domain whose TLS certificate is checked')),
};

const browserScript = nullable(string('Node.js code that drives a browser with Playwright'));

/** Body of endpoint 3. */
export const browserCheckBody = closed(
  { name: checkName, script: browserScript, ...allOptional(commonFields), ...allOptional(browserFields) },
  { title: 'BrowserCheckRequest' },
);
export type BrowserCheckBody = Type.Static<typeof browserCheckBody>;

export const browserCheck = open(
  {
    name: checkName,
    script: browserScript,
    ...allOptional(commonFields),
    ...allOptional(browserFields),
    checkType: optional(openOneOf(['BROWSER'], 'Type of the check')),
    ...allOptional(answerFields),
  },
  { title: 'BrowserCheck' },
);
export type BrowserCheck = Type.Static<typeof browserCheck>;

/** Body of the neighbours that change a check: only what is given changes. */
export const dnsCheckChange = Type.Partial(dnsCheckBody, {
  additionalProperties: false,
  title: 'DnsCheckChange',
});
export const browserCheckChange = Type.Partial(browserCheckBody, {
  additionalProperties: false,
  title: 'BrowserCheckChange',
});
/** Any check, as lists answer it. */
export const anyCheck = open(
  {
    id: string('Id of the check'),
    name: checkName,
    checkType: openOneOf(CHECK_TYPES, 'Type of the check'),
    ...allOptional(commonFields),
    frequency: optional(number('Minutes between two runs', { 'x-unit': 'minutes' })),
    status: optional(
      nullable(openOneOf(['passing', 'failing', 'degraded'], 'How its last session ended; null: none has')),
    ),
    nextRunAt: optional(nullable(dateTime('When it runs next; null: not by itself'))),
    created_at: optional(answerFields.created_at),
    updated_at: optional(answerFields.updated_at),
  },
  { title: 'Check' },
);
/** Body of the neighbours that make or change a check of any type: judged by its type's own schema. */
export const anyCheckBody = Type.Object(
  {
    checkType: optional(oneOf(['DNS', 'BROWSER'], 'Type of the check')),
    name: optional(checkName),
  },
  { title: 'CheckRequest', description: 'The body that the type of the check asks for, with checkType' },
);
