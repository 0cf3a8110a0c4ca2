/** `sonde checks update`: changes a check of any type. */
import { getCheck } from '../../src/contract/index.ts';
import { endpointOf, updateAnyCheck } from '../shared/checks/any-type.ts';
import { ALERTS, ORDER, RUNS } from '../shared/checks/groups.ts';
import { checks } from '../shared/resources/checks.ts';
import { updateCommand } from '../shared/resources/write.ts';

export const command = updateCommand(checks, {
  get: getCheck,
  endpoint: updateAnyCheck,
  endpointFor: endpointOf,
  flags: {
    names: {
      'request.query': 'query',
      'request.recordType': 'record-type',
      'request.nameServer': 'name-server',
      'request.port': 'port',
      'request.protocol': 'protocol',
      'request.assertions': 'assert',
    },
    without: ['heartbeat'],
    groups: {
      'What a DNS check looks up': [
        'request.query',
        'request.recordType',
        'request.assertions',
        'request.nameServer',
        'request.port',
        'request.protocol',
      ],
      'What a browser check does': ['script', 'environmentVariables', 'runtimeId', 'sslCheckDomain'],
      'Where and when it runs': RUNS,
      'Who is told': ALERTS.filter((path) => path !== 'autoAssignAlerts'),
      'How it is found again': ORDER,
    },
  },
  examples: [
    {
      line: 'checks update 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d --frequency 5 --locations eu-west-1,us-east-1',
      does: 'changes when and where it runs, after showing the difference',
    },
    {
      line: 'checks update 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d --record-type AAAA --set request.nameServer=null --set request.port=null',
      does: "looks another record up, at the location's own name server",
    },
    {
      line: 'checks update 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d -f check.yaml --yes',
      does: 'takes the fields from a file, and asks nothing',
    },
  ],
});
