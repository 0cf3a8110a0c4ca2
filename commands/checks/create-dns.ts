/** `sonde checks create-dns`: creates a DNS check (endpoint 2). */

import { defineCommand } from '../../src/cli/framework/index.ts';
import { createDnsCheck } from '../../src/contract/index.ts';
import {
  ALERT_FIELDS,
  DNS_FLAGS,
  ORGANIZATION_FIELDS,
  printCreatedCheck,
  RUN_FIELDS,
} from './shared/create-command.ts';

export const command = defineCommand({
  name: 'checks create-dns',
  summary: 'Create a DNS check',
  endpoint: createDnsCheck,
  flags: {
    names: DNS_FLAGS,
    groups: {
      'DNS query': [
        'request.recordType',
        'request.assertions',
        'request.nameServer',
        'request.port',
        'request.protocol',
      ],
      'Schedule and locations': RUN_FIELDS,
      Notifications: ALERT_FIELDS,
      Organization: ORGANIZATION_FIELDS,
    },
    // The specification requires both, but they have no meaning for DNS checks.
    fill: { heartbeat: {}, script: '' },
  },
  interview: {
    steps: [
      { flag: 'name' },
      { flag: 'query', message: 'Domain name to query' },
      { flag: 'record-type', message: 'Record type to query' },
      {
        flag: 'name-server',
        message: 'Name server (Enter for the default)',
        validate: (typed) =>
          /^[^:]+:\d+$|\]:\d+$/.test(typed)
            ? 'Enter the name server without a port; the port is the next question'
            : undefined,
      },
      { flag: 'port', when: ['name-server'], suggestions: ['53'] },
      { flag: 'locations', message: 'Locations' },
      { flag: 'frequency', message: 'Frequency' },
      { flag: 'frequency-offset', message: 'Seconds between runs', when: ['frequency', '0'] },
      {
        flag: 'assert',
        message: 'Assertions on the response',
        suggestions: ['RESPONSE_CODE EQUALS NOERROR'],
      },
    ],
    confirm: 'Create this check?',
  },
  examples: [
    {
      line: 'checks create-dns --name "Apex record" --query example.com --locations eu-west-1,us-east-1',
      does: 'Query a domain name every 10 minutes from two locations',
    },
    {
      line: "checks create-dns -f check.yaml --assert 'RESPONSE_CODE EQUALS NOERROR'",
      does: 'Read the body from a file and add an assertion',
    },
    { line: 'checks create-dns --example > check.yaml', does: 'Create an example file' },
  ],
  async run({ client, terminal, signal }, invocation) {
    const { input, output } = invocation;
    const { body: check } = await (await client()).call(createDnsCheck, input, { signal });
    await printCreatedCheck(terminal, check, {
      type: 'DNS',
      output,
      invocation,
      targetColumns: [
        { key: 'request.query', header: 'query' },
        { key: 'request.recordType', header: 'record type' },
      ],
    });
  },
});
