/** Defines `sonde help environment`: every variable that sonde reads. */

import { join } from 'node:path';
import { dataFolders, userFilePath } from '../../../profiles/folders.ts';
import { CI_SYSTEMS, readMarker, variablesOf } from '../../ci/ci-systems.ts';
import { variableRows } from '../../settings/setting.ts';
import { SETTING_TABLES } from '../../settings/tables.ts';
import { type HelpBlock, type HelpReader, heading, lines, rows, text } from '../topics.ts';

/** The meanings of the columns of a CI system. */
const CI_MEANINGS = [
  'runs sonde',
  'branch',
  'tag',
  'commit',
  'repository',
  'commit message',
  'author of the commit',
  'page of the run',
];

/** Variables by subject. */
export const VARIABLES: Readonly<Record<string, readonly (readonly [name: string, meaning: string])[]>> = {
  'Service and credentials': [
    ['SONDE_API_KEY', 'API key. There is no flag for it, because other users can see the flags of a process'],
    ['SONDE_BASE_URL', 'Base URL of the service; same as --base-url'],
    ['SONDE_ACCOUNT_ID', 'Account ID; same as --account'],
    ['SONDE_ACCOUNT_HEADER', 'Header for the account ID; same as --account-header'],
    ['SONDE_PROFILE', 'Name of the profile; same as --profile'],
    ['SONDE_KEY_PASSPHRASE', 'Passphrase of the private key of "client-certificates create"'],
  ],
  Terminal: [
    ['NO_COLOR', 'Any value disables colour; same as --no-color'],
    ['FORCE_COLOR, CLICOLOR_FORCE', '1 enables colour in pipes'],
    ['CLICOLOR', '0 disables colour'],
    ['SONDE_ACCESSIBLE', '1 disables drawing and redrawing; same as --plain'],
    ['TERM', '"dumb" disables colour and drawing'],
    ['COLORTERM', '"truecolor" enables all colours'],
    ['CI', 'Any value disables prompts and drawing; same as --no-input'],
    ['VISUAL, EDITOR', 'Editor; VISUAL takes precedence'],
    ['BROWSER', 'Browser of --web and open; default: that of the system'],
    ['SHELL', 'Shell for "completion" without an argument'],
    ['TMPDIR', 'Directory for temporary files'],
  ],
  Network: [
    ['HTTPS_PROXY, HTTP_PROXY', 'Proxy for https and http URLs'],
    ['NO_PROXY', 'Hosts that bypass the proxy, separated by commas'],
    ['NODE_EXTRA_CA_CERTS', 'File with additional certificate authorities (PEM)'],
  ],
  Files: [
    ['XDG_CONFIG_HOME', 'Folder for profiles (default ~/.config)'],
    ['XDG_STATE_HOME', 'Folder for undo files and other state (default ~/.local/state)'],
    ['XDG_DATA_HOME', 'Folder for the data of the local service (default ~/.local/share)'],
    ['XDG_CACHE_HOME', 'Folder for caches (default ~/.cache)'],
  ],
  Pipelines: [
    ['GITHUB_ACTIONS', '"true": a gate writes annotations'],
    ['GITHUB_STEP_SUMMARY', 'File that a gate appends its summary to'],
    ['SONDE_HEARTBEAT_URL', 'Ping URL of a heartbeat check; same as --url of "wrap"'],
  ],
  'Origin of a test session (default: from git)': [
    ['GITHUB_SERVER_URL', 'GitHub Actions: server of the repository'],
    ['GITHUB_REPOSITORY', 'GitHub Actions: owner and name of the repository'],
    ...CI_SYSTEMS.flatMap(({ name, marker, branch, tag, commit, repository, message, author, link = [] }) =>
      [
        marker ? [readMarker(marker).variable] : [],
        ...[branch, tag, commit, repository, message, author],
        link.flatMap(variablesOf),
      ].flatMap((variables = [], index) =>
        variables.map((variable) => [variable, `${name}: ${CI_MEANINGS[index]}`] as const),
      ),
    ),
  ],
  ...Object.fromEntries(SETTING_TABLES.map((table) => [table.subject, variableRows(table)])),
};

export const environment = (): readonly HelpBlock[] => [
  text(
    'A flag takes precedence over a variable, and a variable over a file. sonde treats an empty variable as unset.',
  ),
  text('"sonde try" also uses SONDE_BROWSER, SONDE_RUNTIMES and SONDE_RESOLVERS.'),
  ...Object.entries(VARIABLES).flatMap(([subject, variables]) => [heading(subject), rows(...variables)]),
];

export const files = ({ env, home }: HelpReader): readonly HelpBlock[] => {
  const { state, data, cache } = dataFolders(env, home);
  return [
    heading('User'),
    rows(
      [
        userFilePath(env, home),
        'Profiles with their keys, readable only by you (mode 0600); written by "sonde login"',
      ],
      [
        join(state, 'previous', '*.yaml'),
        'Undo files: resources before a change; sonde prints the undo command with the change',
      ],
      [
        join(state, 'edits', '*.yaml'),
        'Edits that were not sent yet; sonde prints the command that sends them',
      ],
      [join(state, 'waiting', '*.txt'), 'IDs of sessions that a gate did not wait for, for one week'],
      [join(state, 'bugs', '*.txt'), 'The last 10 crash reports, without keys and values'],
      [join(cache, 'completion.json'), 'Recent IDs and names for shell completion; safe to delete'],
    ),
    heading('Project'),
    rows(
      [
        '.sonderc, .sonderc.yaml, .sonderc.json',
        'Profile and account of a project, in the working folder or above',
      ],
      ['package.json', 'The same settings under the key "sonde"'],
    ),
    text(
      'A project file can select one of your profiles. It cannot change the base URL of a saved key or run a command.',
    ),
    heading('Local service'),
    rows(
      [join(data, 'service.db'), 'SQLite database; "service start --data" selects another folder'],
      [join(data, 'service.log'), 'Log of a service in the background'],
      [join(data, 'service.json'), 'Process ID and address of the running service'],
    ),
    text(
      'To use other folders, set XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME or XDG_CACHE_HOME. See sonde help environment.',
    ),
  ];
};

export const credentials = ({ env, home }: HelpReader): readonly HelpBlock[] => [
  text(
    'A profile is a named set of a service, its key and its account. "sonde login" saves one. Commands use the current profile; --profile ' +
      'selects another for one command. Without a profile, as in a pipeline, set the environment variables.',
  ),
  heading('Precedence'),
  rows(
    ['1. flags', '--profile, --base-url, --account; the key has no flag'],
    [
      '2. environment',
      'SONDE_PROFILE, SONDE_BASE_URL, SONDE_ACCOUNT_ID, SONDE_ACCOUNT_HEADER, SONDE_API_KEY',
    ],
    ['3. project file', '.sonderc or package.json: profile and account only'],
    ['4. user file', userFilePath(env, home)],
  ),
  lines(
    ['sonde profiles show', 'Show the values in effect and their sources'],
    ['sonde whoami', 'Show the same and test them against the service'],
  ),
  heading('Keys'),
  text(
    'sonde sends a saved key only to the base URL that it was saved with. It never prints a key: not with --trace or --dry-run, and not in errors or crash ' +
      'reports. "sonde login --keyring" stores the key in the system keyring. "sonde login --api-key-command" saves a command that prints the key, for example from a password manager. ' +
      'The shell runs that command in your home folder, once for each sonde command that needs the key. sonde refuses plain http to ' +
      'other machines.',
  ),
  lines(
    ['sonde login', 'Enter the base URL, key and account at prompts'],
    ['printf %s "$KEY" | sonde login --base-url https://api.example.com', 'Read the key from stdin'],
    [
      "sonde login --base-url https://api.example.com --api-key-command 'pass show sonde'",
      'Read the key from a password manager',
    ],
    ['sonde profiles use staging', 'Select the current profile'],
  ),
];
