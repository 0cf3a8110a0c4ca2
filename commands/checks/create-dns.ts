/** `sonde checks create-dns`: creates a DNS check (endpoint 2). */
import { createDnsCheck } from '../../src/contract/index.ts';
import { createCheckCommand, RUN_FIELDS, RUN_STEPS } from './shared/create-command.ts';

export const command = createCheckCommand({
  type: 'DNS',
  endpoint: createDnsCheck,
  groups: {
    'DNS query': [
      'request.recordType',
      'request.assertions',
      'request.nameServer',
      'request.port',
      'request.protocol',
    ],
  },
  scheduleFields: RUN_FIELDS,
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
    ...RUN_STEPS,
    { flag: 'assert', message: 'Assertions on the response', suggestions: ['RESPONSE_CODE EQUALS NOERROR'] },
  ],
  examples: [
    {
      line: 'checks create-dns --name "Apex record" --query example.com --locations eu-west-1,us-east-1',
      does: 'Query a domain name every 10 minutes from two locations',
    },
    {
      line: "checks create-dns -f check.yaml --assert 'RESPONSE_CODE EQUALS NOERROR'",
      does: 'Read the body from a file and add an assertion',
    },
  ],
  targetColumns: [
    { key: 'request.query', header: 'query' },
    { key: 'request.recordType', header: 'record type' },
  ],
});
