/** `sonde checks update`: changes a check of any type. */

import { text } from '../../src/cli/framework/index.ts';
import { updateCommand } from '../../src/cli/resource-commands/update.ts';
import { checks } from '../../src/cli/resources/checks.ts';
import { updateEndpointOfAnyType, updateEndpointsOf } from '../../src/cli/resources/update-check-endpoint.ts';
import { CHECK_TYPES } from '../../src/contract/generated/check-types.js';
import {
  ALERT_FIELDS,
  HEARTBEAT_FIELDS,
  ORGANIZATION_FIELDS,
  PACKET_LOSS_FIELDS,
  RUN_FIELDS,
} from './shared/create-command.ts';

const FLAG_NAMES = flagNames();
/** Returns the flags of all types by path. A flag of another type's path is prefixed with the type. */
function flagNames(): Readonly<Record<string, string>> {
  const paths = new Map<string, string>();
  for (const { path: type, flags } of Object.values(CHECK_TYPES)) {
    for (const [path, flag] of Object.entries(flags)) {
      const isTaken = (paths.get(flag) ?? path) !== path;
      paths.set(isTaken ? `${type}-${flag}` : flag, path);
    }
  }
  return Object.fromEntries([...paths].map(([flag, path]) => [path, flag]));
}

/** Headings of the fields of types in help. */
const TYPE_GROUPS = {
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
    'sendTraceparent',
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
    'playwrightConfig',
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
  'Heartbeat checks': HEARTBEAT_FIELDS,
  'Agentic checks': ['prompt', 'agentRuntime.skills'],
} as const;
const grouped: ReadonlySet<string> = new Set(Object.values(TYPE_GROUPS).flat());
/** The headings of all other types. */
const OTHER_TYPE_GROUPS = Object.fromEntries(
  Object.values(CHECK_TYPES).flatMap(({ label, flags }) => {
    const paths = Object.keys(flags).filter((path) => !grouped.has(path));
    return paths.length === 0 ? [] : [[`${label} checks`, paths]];
  }),
);

export const command = updateCommand(checks, updateEndpointOfAnyType(), {
  endpointsFor: updateEndpointsOf,
  readsAgain: true,
  typeField: 'checkType',
  flags: {
    names: FLAG_NAMES,
    groups: {
      ...TYPE_GROUPS,
      ...OTHER_TYPE_GROUPS,
      'Schedule and locations': RUN_FIELDS,
      Notifications: ALERT_FIELDS.filter((path) => path !== 'autoAssignAlerts'),
      Organization: ['name', ...ORGANIZATION_FIELDS],
    },
  },
  options: { project: text('Folder of a Playwright project to upload', { placeholder: 'dir' }) },
  async prepare(deps, { project }, { include, exclude }) {
    if (typeof project !== 'string') return {};
    const { uploadSuite } = await import('../../src/cli/pack/pack-suite.ts');
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
