/** Defines `sonde help credentials`: how sonde finds its service, key and account. */
import { userFilePath } from '../../../../profiles/folders.ts';
import { type HelpBlock, type HelpReader, heading, lines, rows, text } from '../../blocks.ts';

export const credentials = ({ env, home }: HelpReader): readonly HelpBlock[] => [
  text(
    'A profile is a named set of a service, its key and its account. "sonde login" saves one. Commands use the current profile; --profile ' +
      'selects another for one command. Without a profile, as in a pipeline, set the environment variables.',
  ),
  heading('Precedence'),
  rows(
    ['1. flags', '--profile, --base-url, --account; the key has no flag'],
    ['2. environment', 'SONDE_PROFILE, SONDE_BASE_URL, SONDE_ACCOUNT_ID, SONDE_API_KEY'],
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
