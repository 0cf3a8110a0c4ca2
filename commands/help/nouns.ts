/** What the commands are about, in the groups that the overview shows. A noun that is not named here stands in the last. */
import { manifest } from '../generated/manifest.ts';
import type { TypedLine } from '../kernel/layout.ts';

/** What is told of a noun besides its commands. */
export interface Noun {
  /** One line, without a full stop. */
  readonly summary: string;
  readonly examples?: readonly TypedLine[];
}

/** The groups of the overview; a command of one word brings its own summary. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Run checks and hold a release': ['checks', 'sessions', 'test-sessions'],
  'See what happened': ['error-groups', 'incidents', 'maintenance', 'alert-notifications', 'static-ips'],
  Manage: [
    'groups',
    'alert-channels',
    'status-pages',
    'services',
    'dashboards',
    'variables',
    'snippets',
    'private-locations',
    'triggers',
    'delete',
  ],
  'Sign in': ['login', 'logout', 'whoami', 'profiles'],
  'A service of your own': ['quickstart', 'service', 'browser', 'agent'],
};

/** Where what no group names is shown. */
export const LAST_GROUP = 'More';

export const NOUNS: Readonly<Record<string, Noun>> = {
  checks: {
    summary: 'Create, change and run checks, and read their results',
    examples: [
      { line: 'sonde checks run --tag production', does: 'runs checks and exits by their verdict' },
      {
        line: 'sonde checks create-dns --name "Apex record" --query example.com',
        does: 'looks a name up every 10 minutes',
      },
    ],
  },
  sessions: {
    summary: 'Wait for sessions, which are runs of a check, and look at them',
    examples: [
      { line: 'sonde sessions wait <id> --timeout 10m', does: 'ends with 0 only if the session passed' },
      { line: 'sonde sessions list --limit 5', does: 'shows what ran last' },
    ],
  },
  'test-sessions': {
    summary: 'Run checks once and for all, without alerts, as before a deployment',
    examples: [{ line: 'sonde test-sessions run --suite e2e', does: 'runs a Playwright project, and waits' }],
  },
  'error-groups': {
    summary: 'Look through the errors of a check, and put them away',
    examples: [{ line: 'sonde error-groups list <check-id>', does: 'shows what goes wrong with a check' }],
  },
  maintenance: {
    summary: 'Plan maintenance windows, and see what is on',
    examples: [
      { line: 'sonde maintenance list --starts-at gte=2026-11-21', does: 'shows those that are to come' },
    ],
  },
  groups: {
    summary: 'Groups of checks, whose settings override those of the checks',
    examples: [
      { line: 'sonde groups run 12', does: 'runs its checks and exits by their verdict' },
      { line: 'sonde groups update 12 --locations eu-west-1', does: 'shows what changes, and asks' },
    ],
  },
  'status-pages': {
    summary: 'Create, read, edit and replace status pages',
    examples: [{ line: 'sonde status-pages edit <id>', does: 'opens the page in your editor' }],
  },
  incidents: {
    summary: 'Open incidents of services, say what is known, and end them',
    examples: [{ line: 'sonde incidents resolve <id> --notify', does: 'ends one, and tells subscribers' }],
  },
  'alert-channels': {
    summary: 'Who is told of failures: e-mail, webhooks, chat, SMS',
    examples: [
      {
        line: 'sonde alert-channels create --type EMAIL --address ops@example.com',
        does: 'tells an address of failures and recoveries',
      },
    ],
  },
  'alert-notifications': {
    summary: 'What alerts were sent to whom, what waits, and why',
    examples: [{ line: 'sonde alert-notifications list --state FAILED', does: 'lists what was given up' }],
  },
  variables: {
    summary: 'Environment variables of all checks',
    examples: [
      {
        line: 'sonde variables set SHOP_PASSWORD --secret',
        does: 'asks for the value, and never shows it again',
      },
    ],
  },
  'private-locations': {
    summary: 'Places of your own that checks run from, and the keys of their agents',
    examples: [
      {
        line: 'sonde private-locations create --name Cellar --slug-name cellar',
        does: 'makes one, with a key for its agents',
      },
    ],
  },
  triggers: {
    summary: 'Addresses that start a check or a group for whoever knows them',
    examples: [{ line: 'sonde triggers create <check-id>', does: 'prints the address' }],
  },
  services: {
    summary: 'The services that status pages show the state of',
    examples: [{ line: 'sonde services create --name Checkout', does: 'makes one' }],
  },
  dashboards: {
    summary: 'Dashboards of checks, chosen by tags',
    examples: [
      { line: 'sonde dashboards create --header Shop --custom-url shop --tags shop', does: 'makes one' },
    ],
  },
  snippets: {
    summary: 'Code that checks share',
    examples: [
      { line: 'sonde snippets update 1201 --script-file sign-in.js', does: 'shows what changes, and asks' },
    ],
  },
  delete: {
    summary: 'Delete anything by its id, as the delete of each noun does',
    examples: [{ line: 'sonde delete snippet 12 --dry-run', does: 'shows what would be sent' }],
  },
  profiles: {
    summary: 'List, choose and remove the services you signed in to',
    examples: [{ line: 'sonde profiles use staging', does: 'talks to this one from now on' }],
  },
  service: {
    summary: 'Run the monitoring service on this machine',
    examples: [
      { line: 'sonde service start --detach', does: 'starts it, and saves a profile for it' },
      { line: 'sonde service seed shop.yaml', does: 'brings it to what a file says' },
    ],
  },
  browser: {
    summary: 'Install the browser that browser checks run in',
    examples: [{ line: 'sonde browser install', does: 'downloads Chromium into the data folder' }],
  },
  agent: {
    summary: 'Run the checks of a private location from within a network of your own',
    examples: [
      {
        line: 'API_KEY=pl_… SONDE_BASE_URL=https://monitoring.example.com sonde agent start',
        does: 'pulls runs until it is told to stop',
      },
      { line: 'sonde agent probe', does: 'exits 0 while the agent is alive' },
      { line: 'sonde agent upgrade-path --from 2024-09', does: 'tells how it comes to the built-in runtime' },
    ],
  },
};

/** The verbs of a noun. */
export const verbsOf = (noun: string): readonly string[] =>
  manifest.filter(({ name }) => name.startsWith(`${noun} `)).map(({ name }) => name.slice(noun.length + 1));

/** The first words of all commands, in alphabetical order. */
export const nounNames = (): readonly string[] => [
  ...new Set(manifest.map(({ name }) => name.split(' ')[0] ?? name)),
];

/** What a noun or a command of one word is about; of a noun without a summary, its verbs. */
export const summaryOf = (noun: string): string =>
  manifest.find(({ name }) => name === noun)?.summary ??
  NOUNS[noun]?.summary ??
  `Commands: ${verbsOf(noun).join(', ')}`;
