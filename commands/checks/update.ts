/** `sonde checks update`: changes a check of any type. */

import { text } from '../../src/cli/framework/index.ts';
import { updateCommand } from '../../src/cli/resource-commands/write.ts';
import { updateEndpointOf, updateEndpointOfAnyType } from '../../src/cli/resources/check-types.ts';
import { checks } from '../../src/cli/resources/checks.ts';
import {
  AGENTIC_FLAGS,
  ALERT_FIELDS,
  API_FLAGS,
  DNS_FLAGS,
  HEARTBEAT_FLAGS,
  ICMP_FLAGS,
  ORGANIZATION_FIELDS,
  PACKET_LOSS_FIELDS,
  RUN_FIELDS,
  TCP_FLAGS,
} from './shared/create-command.ts';

export const command = updateCommand(checks, updateEndpointOfAnyType(), {
  endpointFor: updateEndpointOf,
  flags: {
    names: {
      ...DNS_FLAGS,
      ...TCP_FLAGS,
      ...ICMP_FLAGS,
      ...API_FLAGS,
      ...HEARTBEAT_FLAGS,
      ...AGENTIC_FLAGS,
    },
    groups: {
      'DNS checks': ['request.query', 'request.recordType', 'request.nameServer', 'request.protocol'],
      'URL and API checks': [
        'request.url',
        'request.method',
        'request.headers',
        'request.queryParameters',
        'request.body',
        'request.bodyType',
        'request.basicAuth.username',
        'request.basicAuth.password',
        'request.followRedirects',
        'request.skipSSL',
        'setupSnippetId',
        'localSetupScript',
        'tearDownSnippetId',
        'localTearDownScript',
      ],
      'TCP and ICMP checks': [
        'request.hostname',
        'request.port',
        'request.data',
        'request.pingCount',
        'request.ipFamily',
        ...PACKET_LOSS_FIELDS,
      ],
      Assertions: ['request.assertions'],
      Scripts: [
        'script',
        'scriptPath',
        'environmentVariables',
        'runtimeId',
        'dependencies',
        'sslCheckDomain',
      ],
      'Playwright checks': [
        'codeBundleId',
        'playwrightConfigPath',
        'workingDir',
        'installCommand',
        'testCommand',
        'pwProjects',
        'pwTags',
        'engine',
        'engineVersion',
        'include',
        'exclude',
      ],
      'Heartbeat checks': [
        'heartbeat.period',
        'heartbeat.periodUnit',
        'heartbeat.grace',
        'heartbeat.graceUnit',
      ],
      'Agentic checks': ['prompt', 'agentRuntime.skills'],
      'Schedule and locations': RUN_FIELDS,
      Notifications: ALERT_FIELDS.filter((path) => path !== 'autoAssignAlerts'),
      Organization: ['name', ...ORGANIZATION_FIELDS],
    },
  },
  options: { project: text('Folder of a Playwright project to upload', { placeholder: 'dir' }) },
  async prepare(deps, { project }, { include, exclude }) {
    if (typeof project !== 'string') return {};
    const { uploadSuite } = await import('../test-sessions/shared/pack-suite.ts');
    const choice = { include, exclude } as Parameters<typeof uploadSuite>[2];
    return { codeBundleId: await uploadSuite(deps, project, choice) };
  },
  examples: [
    {
      line: 'checks update 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d --frequency 5 --locations eu-west-1,us-east-1',
      does: 'Change the schedule and the locations of a check',
    },
    {
      line: 'checks update 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d --record-type AAAA --set request.nameServer=null --set request.port=null',
      does: 'Query another record type, with the default name server of the location',
    },
    {
      line: 'checks update 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d --project e2e',
      does: 'Upload a new version of a Playwright project',
    },
    {
      line: 'checks update 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d -f check.yaml --yes',
      does: 'Read the fields from a file, without confirmation',
    },
  ],
});
