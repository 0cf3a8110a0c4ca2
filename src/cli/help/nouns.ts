/** Groups the nouns of commands for the overview, with summaries and examples. The last group has all other nouns. */
import type { ExampleLine } from '../framework/help-layout.ts';
import { manifest } from '../generated/manifest.ts';

/** The help of a noun besides its commands. */
export interface NounHelp {
  /** One line, without a full stop. */
  readonly summary: string;
  readonly examples: readonly ExampleLine[];
}

/** The groups of the overview; a command of one word has its own summary. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Run checks': ['checks', 'sessions', 'test-sessions', 'wrap'],
  'Monitoring as code': ['try', 'plan', 'apply', 'unlock', 'export', 'import', 'schema'],
  'Errors and incidents': ['error-groups', 'incidents', 'maintenance', 'alert-notifications'],
  Configuration: [
    'groups',
    'alert-channels',
    'status-pages',
    'services',
    'dashboards',
    'variables',
    'snippets',
    'private-locations',
    'client-certificates',
    'static-ips',
    'triggers',
    'delete',
  ],
  'Service and agents': ['quickstart', 'service', 'agent', 'browser'],
  'Sign in and set up': ['login', 'logout', 'whoami', 'profiles', 'completion', 'api'],
};

/** The group of nouns that no other group names. */
export const LAST_GROUP = 'Other';

const noun = (
  summary: string,
  ...examples: readonly (readonly [line: string, does: string])[]
): NounHelp => ({
  summary,
  examples: examples.map(([line, does]) => ({ line, does })),
});

export const NOUNS: Readonly<Record<string, NounHelp>> = {
  checks: noun(
    'Create, update, run and delete checks',
    ['sonde checks run --tag production', 'Run checks and exit with their verdict'],
    ['sonde checks create-dns --name "Apex record" --query example.com', 'Resolve a name every 10 minutes'],
  ),
  sessions: noun(
    'List check sessions and wait for their verdict',
    ['sonde sessions wait <id> --timeout 10m', 'Exit with 0 only if the session passed'],
    ['sonde sessions list --limit 5', 'List the latest sessions'],
  ),
  'test-sessions': noun('Run checks once, without alerting', [
    'sonde test-sessions run --suite e2e',
    'Run a Playwright project and wait',
  ]),
  'error-groups': noun("List and archive a check's error groups", [
    'sonde error-groups list <check-id>',
    'List the errors of a check',
  ]),
  maintenance: noun('Schedule and list maintenance windows', [
    'sonde maintenance list --starts-at gte=2026-11-21',
    'List upcoming maintenance windows',
  ]),
  groups: noun(
    'Manage check groups and run their checks',
    ['sonde groups run 12', 'Run the checks of a group and exit with their verdict'],
    ['sonde groups update 12 --locations eu-west-1', 'Preview a change, then confirm it'],
  ),
  'status-pages': noun('Manage status pages', [
    'sonde status-pages edit <id>',
    'Edit a status page in your editor',
  ]),
  incidents: noun('Open, update and resolve incidents', [
    'sonde incidents resolve <id> --notify',
    'Resolve an incident and notify subscribers',
  ]),
  'alert-channels': noun('Manage alert channels: e-mail, webhooks, chat, SMS', [
    'sonde alert-channels create --type EMAIL --address ops@example.com',
    'Send failures and recoveries to an address',
  ]),
  'alert-notifications': noun('List sent, pending and failed notifications', [
    'sonde alert-notifications list --state FAILED',
    'List the notifications that failed',
  ]),
  variables: noun('Manage environment variables of all checks', [
    'sonde variables set SHOP_PASSWORD --secret',
    'Store a secret value; sonde prompts for it',
  ]),
  'private-locations': noun('Manage private locations and the keys of their agents', [
    'sonde private-locations create --name Cellar --slug-name cellar',
    'Create a location with a key for its agents',
  ]),
  triggers: noun('Manage public URLs that start a check or a group', [
    'sonde triggers create <check-id>',
    'Create a trigger and print its URL',
  ]),
  services: noun('Manage the services shown on status pages', [
    'sonde services create --name Checkout',
    'Create a service',
  ]),
  'client-certificates': noun('Manage client certificates for mutual TLS', [
    'sonde client-certificates create --host api.example.com --certificate client.pem --key client.key',
    'Present a certificate to a host',
  ]),
  dashboards: noun('Manage dashboards of checks', [
    'sonde dashboards create --header Shop --custom-url shop --tags shop',
    'Create a dashboard of all checks with a tag',
  ]),
  snippets: noun('Manage code shared by checks', [
    'sonde snippets update 1201 --script-file sign-in.js',
    'Preview a change, then confirm it',
  ]),
  delete: noun('Delete resources by ID', [
    'sonde delete snippet 12 --dry-run',
    'Print the request without sending it',
  ]),
  import: noun('Convert the configuration of other tools', [
    'sonde import uptime-kuma kuma.db',
    'Write the monitors of Uptime Kuma to the folder monitoring',
  ]),
  profiles: noun('List, select and remove saved profiles', [
    'sonde profiles use staging',
    'Select the current profile',
  ]),
  service: noun(
    'Run the monitoring service on this machine',
    ['sonde service start --detach', 'Start the service in the background'],
    ['sonde service status', 'Show whether the service is running'],
  ),
  browser: noun('Install the browser for browser checks', [
    'sonde browser install',
    'Download Chromium into the data folder',
  ]),
  agent: noun(
    'Run the checks of a private location',
    ['API_KEY=pl_… SONDE_BASE_URL=https://monitoring.example.com sonde agent start', 'Start an agent'],
    ['sonde agent probe', 'Exit with 0 while the agent is alive'],
    ['sonde agent upgrade-path --from 2024-09', 'List the steps to the built-in runtime'],
  ),
};

/** Returns the verbs of a noun. */
export const verbsOf = (noun: string): readonly string[] =>
  manifest.filter(({ name }) => name.startsWith(`${noun} `)).map(({ name }) => name.slice(noun.length + 1));

/** Returns the first words of all commands, in alphabetical order. */
export const nounNames = (): readonly string[] => [
  ...new Set(manifest.map(({ name }) => name.split(' ')[0] ?? name)),
];

/** Returns the summary of a noun or a command of one word; for a noun without a summary, its verbs. */
export const summaryOf = (noun: string): string =>
  manifest.find(({ name }) => name === noun)?.summary ??
  NOUNS[noun]?.summary ??
  `Commands: ${verbsOf(noun).join(', ')}`;
