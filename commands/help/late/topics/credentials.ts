/** `sonde help credentials`: how sonde comes to its service, key and account. */
import { userFile } from '../../../../src/profiles/folders.ts';
import { type Block, heading, lines, type Reader, rows, text } from '../../blocks.ts';

export const credentials = ({ env, home }: Reader): readonly Block[] => [
  text(
    'A profile is a service with its key and account, saved under a name by "sonde login". One is current; --profile takes another for one ' +
      'command. Without any profile the variables alone do, as in a pipeline.',
  ),
  heading('What counts first'),
  rows(
    ['1. the option', '--profile, --base-url, --account; there is none for the key'],
    ['2. the environment', 'SONDE_PROFILE, SONDE_BASE_URL, SONDE_ACCOUNT_ID, SONDE_API_KEY'],
    ['3. the project', '.sonderc or package.json: profile and account only'],
    ['4. your profiles', userFile(env, home)],
  ),
  lines(
    ['sonde profiles show', 'which values hold here, and where each came from'],
    ['sonde whoami', 'the same, tried on the service'],
  ),
  heading('Keys'),
  text(
    'A saved key goes to the address that it was saved with, and nowhere else. It is never printed: not by --trace, --dry-run, an error or a ' +
      'crash. "sonde login --keyring" keeps it in the system\'s keyring. "sonde login --api-key-command" saves a command that prints the key, so that a password manager keeps it: ' +
      'the shell runs it in your home folder, once for each command of sonde that needs the key. Plain http is refused ' +
      'beyond this machine.',
  ),
  lines(
    ['sonde login', 'asks for address, key and account'],
    ['printf %s "$KEY" | sonde login --base-url https://api.example.com', 'asks nothing'],
    [
      "sonde login --base-url https://api.example.com --api-key-command 'pass show sonde'",
      'leaves the key where it is',
    ],
    ['sonde profiles use staging', 'makes another profile the current one'],
  ),
];
