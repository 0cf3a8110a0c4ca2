/** DNS check. Specification: DNS check. */
import { DNS_ASSERTION_SOURCES, DNS_PROTOCOLS, DNS_RECORD_TYPES } from '../../enumerations.ts';
import {
  allOptional,
  anyObject,
  closed,
  noted,
  number,
  oneOf,
  optional,
  string,
  type Type,
  withoutDefault,
} from '../../schema.ts';
import { assertions, environmentVariables, localScript, snippetId } from '../shared.ts';
import {
  answerOf,
  changeOf,
  checkName,
  commonFields,
  responseTimes,
  scriptPath,
  uptimeSchedule,
} from './common.ts';

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
      assertions: assertions(DNS_ASSERTION_SOURCES, 'Assertions on the response'),
    }),
  },
  {
    title: 'DnsRequest',
    description: 'What is looked up, where, and what must hold of the answer',
    'x-gaps': ['required'],
  },
);

const dnsFields = { ...uptimeSchedule, ...responseTimes({ degraded: 500, most: 1000, maximum: 5000 }) };

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

export const dnsCheck = answerOf(
  { type: 'DNS', title: 'DnsCheck' },
  {
    request: optional(dnsRequest),
    ...allOptional(commonFields),
    ...allOptional({
      ...dnsFields,
      degradedResponseTime: withoutDefault(dnsFields.degradedResponseTime),
      maxResponseTime: withoutDefault(dnsFields.maxResponseTime),
    }),
  },
);
export const dnsCheckChange = changeOf(dnsCheckBody, 'DnsCheckChange');
