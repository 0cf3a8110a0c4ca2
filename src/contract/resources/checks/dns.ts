/** Schemas of DNS checks. Specification: DNS check. */
import type { AssertionSource } from '../../endpoint.ts';
import { DNS_PROTOCOLS, DNS_RECORD_TYPES } from '../../enumerations.ts';
import {
  allOptional,
  anyObject,
  closed,
  noted,
  number,
  oneOf,
  optional,
  string,
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

const sources = {
  RESPONSE_TIME: {
    meaning: 'response time in milliseconds',
    help: 'Response time in milliseconds',
  },
  RESPONSE_CODE: {
    meaning: 'DNS response code: NOERROR, NXDOMAIN, SERVFAIL …',
    help: 'Response code: NOERROR, NXDOMAIN, SERVFAIL, …',
  },
  TEXT_ANSWER: {
    meaning: 'DNS records as text, one per line',
    help: 'Records as text, one per line',
  },
  JSON_ANSWER: {
    meaning: 'value in the DNS response, selected by JSONPath',
    help: 'Response as JSON: Status, Answer[].name, .type, .TTL, .data; select a part with a JSONPath in parentheses',
    property: '$.Answer[0].data',
  },
} satisfies Record<string, AssertionSource>;

const dnsRequest = closed(
  {
    query: string('Domain name to query', {
      minLength: 1,
      maxLength: 100,
      'x-gaps': ['minLength', 'maxLength'],
    }),
    ...allOptional({
      recordType: oneOf(DNS_RECORD_TYPES, 'Record type to query', {
        default: 'A',
        'x-sent': 'A',
        'x-gaps': ['*'],
        'x-values': 'recordTypes',
      }),
      nameServer: string('Name server to query; requires a port', {
        minLength: 1,
        'x-gaps': ['minLength'],
      }),
      port: number('Port of the server', {
        minimum: 1,
        maximum: 65535,
        multipleOf: 1,
        'x-gaps': ['minimum', 'maximum', 'multipleOf'],
      }),
      protocol: oneOf(DNS_PROTOCOLS, 'Transport protocol', {
        default: 'UDP',
        'x-gaps': ['enum', 'default'],
      }),
      assertions: assertions(sources, 'Assertions on the response'),
    }),
  },
  {
    title: 'DnsRequest',
    description: 'DNS query and assertions',
    'x-gaps': ['required'],
  },
);

const dnsFields = { ...uptimeSchedule, ...responseTimes({ degraded: 500, most: 1000, maximum: 5000 }) };

/** Body of endpoint 2. */
const dnsCheckBody = closed(
  {
    name: checkName,
    request: dnsRequest,
    heartbeat: anyObject('Required by the API, but no effect on DNS checks', { 'x-absent': {} }),
    script: string('Node.js code of the check; required by the API, but no effect on DNS checks', {
      'x-absent': '',
    }),
    ...allOptional(commonFields),
    ...allOptional(dnsFields),
    ...allOptional({
      scriptPath,
      sslCheckDomain: string(
        'Fully qualified domain name whose TLS certificate is checked; no effect on DNS checks',
      ),
      environmentVariables: noted(environmentVariables, {
        description: 'Environment variables; no effect on DNS checks',
      }),
      setupSnippetId: snippetId('setup'),
      tearDownSnippetId: snippetId('teardown'),
      localSetupScript: localScript('setup'),
      localTearDownScript: localScript('teardown'),
    }),
  },
  { title: 'DnsCheckRequest' },
);

const dnsCheckAnswer = answerOf(
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
export const dnsCheck = {
  sources,
  body: dnsCheckBody,
  answer: dnsCheckAnswer,
  change: changeOf(dnsCheckBody, 'DnsCheckChange'),
};
