/** `sonde checks update`: changes a check of any type. */
import { getCheck } from '../../src/contract/index.ts';
import { text } from '../kernel/index.ts';
import { endpointOf, updateAnyCheck } from '../shared/checks/any-type.ts';
import {
  AGENTIC_FLAGS,
  API_FLAGS,
  DNS_FLAGS,
  HEARTBEAT_FLAGS,
  ICMP_FLAGS,
  TCP_FLAGS,
} from '../shared/checks/flags.ts';
import { ALERTS, ORDER, PACKET_LOSS, RUNS } from '../shared/checks/groups.ts';
import { checks } from '../shared/resources/checks.ts';
import { updateCommand } from '../shared/resources/write.ts';

export const command = updateCommand(checks, {
  get: getCheck,
  endpoint: updateAnyCheck,
  endpointFor: endpointOf,
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
      'What a DNS check looks up': [
        'request.query',
        'request.recordType',
        'request.nameServer',
        'request.protocol',
      ],
      'What a URL or API check asks': [
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
      'What a TCP or ICMP check asks': [
        'request.hostname',
        'request.port',
        'request.data',
        'request.pingCount',
        'request.ipFamily',
        ...PACKET_LOSS,
      ],
      'What must hold': ['request.assertions'],
      'What a script does': ['script', 'environmentVariables', 'runtimeId', 'dependencies', 'sslCheckDomain'],
      'What a Playwright suite is': [
        'codeBundleId',
        'playwrightConfigPath',
        'workingDir',
        'installCommand',
        'testCommand',
        'pwProjects',
        'pwTags',
        'engine',
        'engineVersion',
      ],
      'What a heartbeat expects': [
        'heartbeat.period',
        'heartbeat.periodUnit',
        'heartbeat.grace',
        'heartbeat.graceUnit',
      ],
      'What an agentic check does': ['prompt', 'agentRuntime.skills'],
      'Where and when it runs': RUNS,
      'Who is told': ALERTS.filter((path) => path !== 'autoAssignAlerts'),
      'How it is found again': ORDER,
    },
  },
  options: { project: text('Folder of a Playwright project, which is sent anew', { placeholder: 'dir' }) },
  async prepare(deps, { project }, { include, exclude }) {
    if (typeof project !== 'string') return {};
    const { sendSuite } = await import('../shared/suites/send.ts');
    const choice = { include, exclude } as Parameters<typeof sendSuite>[2];
    return { codeBundleId: await sendSuite(deps, project, choice) };
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
      line: 'checks update 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d --project e2e',
      does: 'sends the folder of a Playwright project again, and runs that from now on',
    },
    {
      line: 'checks update 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d -f check.yaml --yes',
      does: 'takes the fields from a file, and asks nothing',
    },
  ],
});
