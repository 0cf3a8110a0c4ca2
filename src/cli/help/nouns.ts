/** Groups the nouns of commands for the overview, with summaries and examples. The last group has all other nouns. */
import type { ExampleLine } from '../framework/help-layout.ts';
import { manifest } from '../generated/manifest.ts';

/** The help of a noun besides its commands. */
export interface NounHelp {
  /** One line, without a full stop. */
  readonly summary: string;
  readonly examples?: readonly ExampleLine[];
}

/** The groups of the overview; a command of one word has its own summary. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Run checks': ['checks', 'sessions', 'test-sessions'],
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
    'static-ips',
    'triggers',
    'delete',
  ],
  'Sign in': ['login', 'logout', 'whoami', 'profiles'],
  'Local service and agents': ['quickstart', 'service', 'browser', 'agent'],
};

/** The group of nouns that no other group names. */
export const LAST_GROUP = 'Other';

export const NOUNS: Readonly<Record<string, NounHelp>> = {
  checks: {
    summary: 'Create, update, run and delete checks',
    examples: [
      { line: 'sonde checks run --tag production', does: 'Run checks and exit with their verdict' },
      {
        line: 'sonde checks create-dns --name "Apex record" --query example.com',
        does: 'Resolve a name every 10 minutes',
      },
    ],
  },
  sessions: {
    summary: 'List check sessions and wait for their verdict',
    examples: [
      { line: 'sonde sessions wait <id> --timeout 10m', does: 'Exit with 0 only if the session passed' },
      { line: 'sonde sessions list --limit 5', does: 'List the latest sessions' },
    ],
  },
  'test-sessions': {
    summary: 'Run checks once, without alerting',
    examples: [{ line: 'sonde test-sessions run --suite e2e', does: 'Run a Playwright project and wait' }],
  },
  'error-groups': {
    summary: "List and archive a check's error groups",
    examples: [{ line: 'sonde error-groups list <check-id>', does: 'List the errors of a check' }],
  },
  maintenance: {
    summary: 'Schedule and list maintenance windows',
    examples: [
      {
        line: 'sonde maintenance list --starts-at gte=2026-11-21',
        does: 'List upcoming maintenance windows',
      },
    ],
  },
  groups: {
    summary: 'Manage check groups and run their checks',
    examples: [
      { line: 'sonde groups run 12', does: 'Run the checks of a group and exit with their verdict' },
      { line: 'sonde groups update 12 --locations eu-west-1', does: 'Preview a change, then confirm it' },
    ],
  },
  'status-pages': {
    summary: 'Manage status pages',
    examples: [{ line: 'sonde status-pages edit <id>', does: 'Edit a status page in your editor' }],
  },
  incidents: {
    summary: 'Open, update and resolve incidents',
    examples: [
      { line: 'sonde incidents resolve <id> --notify', does: 'Resolve an incident and notify subscribers' },
    ],
  },
  'alert-channels': {
    summary: 'Manage alert channels: e-mail, webhooks, chat, SMS',
    examples: [
      {
        line: 'sonde alert-channels create --type EMAIL --address ops@example.com',
        does: 'Send failures and recoveries to an address',
      },
    ],
  },
  'alert-notifications': {
    summary: 'List sent, pending and failed notifications',
    examples: [
      { line: 'sonde alert-notifications list --state FAILED', does: 'List the notifications that failed' },
    ],
  },
  variables: {
    summary: 'Manage environment variables of all checks',
    examples: [
      {
        line: 'sonde variables set SHOP_PASSWORD --secret',
        does: 'Store a secret value; sonde prompts for it',
      },
    ],
  },
  'private-locations': {
    summary: 'Manage private locations and the keys of their agents',
    examples: [
      {
        line: 'sonde private-locations create --name Cellar --slug-name cellar',
        does: 'Create a location with a key for its agents',
      },
    ],
  },
  triggers: {
    summary: 'Manage public URLs that start a check or a group',
    examples: [{ line: 'sonde triggers create <check-id>', does: 'Create a trigger and print its URL' }],
  },
  services: {
    summary: 'Manage the services shown on status pages',
    examples: [{ line: 'sonde services create --name Checkout', does: 'Create a service' }],
  },
  dashboards: {
    summary: 'Manage dashboards of checks',
    examples: [
      {
        line: 'sonde dashboards create --header Shop --custom-url shop --tags shop',
        does: 'Create a dashboard of all checks with a tag',
      },
    ],
  },
  snippets: {
    summary: 'Manage code shared by checks',
    examples: [
      {
        line: 'sonde snippets update 1201 --script-file sign-in.js',
        does: 'Preview a change, then confirm it',
      },
    ],
  },
  delete: {
    summary: 'Delete resources by ID',
    examples: [{ line: 'sonde delete snippet 12 --dry-run', does: 'Print the request without sending it' }],
  },
  profiles: {
    summary: 'List, select and remove saved profiles',
    examples: [{ line: 'sonde profiles use staging', does: 'Select the current profile' }],
  },
  service: {
    summary: 'Run the monitoring service on this machine',
    examples: [
      { line: 'sonde service start --detach', does: 'Start the service in the background' },
      { line: 'sonde service seed shop.yaml', does: 'Apply a file of resources to the service' },
    ],
  },
  browser: {
    summary: 'Install the browser for browser checks',
    examples: [{ line: 'sonde browser install', does: 'Download Chromium into the data folder' }],
  },
  agent: {
    summary: 'Run the checks of a private location',
    examples: [
      {
        line: 'API_KEY=pl_… SONDE_BASE_URL=https://monitoring.example.com sonde agent start',
        does: 'Start an agent',
      },
      { line: 'sonde agent probe', does: 'Exit with 0 while the agent is alive' },
      { line: 'sonde agent upgrade-path --from 2024-09', does: 'List the steps to the built-in runtime' },
    ],
  },
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
