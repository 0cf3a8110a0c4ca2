/** The system's keyring as people meet it: the option, the question, and what they are told. */
import { CredentialsError } from '../../base/errors.ts';
import { userFilePath } from '../../profiles/folders.ts';
import { isKeyringAvailable, type KeyringEntry, keyringService } from '../../profiles/keyring.ts';
import type { LeftoverKey, SavedProfile } from '../../profiles/profiles-with-keys.ts';
import { askChoice } from '../../terminal/index.ts';
import { shellWord } from '../framework/command-line.ts';
import { type Deps, flag } from '../framework/index.ts';
import type { Option } from '../framework/options.ts';
import { shorter } from './view.ts';

/** `--keyring`, `--no-keyring`; undefined where neither is given. */
export const keyringOption: Option<boolean | undefined> = {
  ...flag('Store the key in the system keyring instead of the file', { negative: 'also' }),
  read: (texts) => (texts === undefined ? undefined : texts.at(-1) === 'true'),
};

/**
 * Asks a person where the key is to be kept, where a keyring answers: true for there. `before`: a former key of the profile
 * is there, and Enter leaves it so.
 */
export async function asksForKeyring(deps: Deps, entry: KeyringEntry, before: boolean): Promise<boolean> {
  const { terminal, env, home, keyHost, signal } = deps;
  if (!(await isKeyringAvailable(entry, { env, ...keyHost }))) return false;
  const ring = { value: true, name: 'In the system keyring' };
  const file = {
    value: false,
    name: `In a file that only you can read (${shorter(userFilePath(env, home), home)})`,
  };
  return askChoice(terminal, {
    message: 'Key storage:',
    flag: '--keyring or --no-keyring',
    signal,
    choices: [ring, file],
    default: before,
  });
}

/** Where a key went that was meant for the keyring, or was there before. */
export async function tellOfKeyring(
  { terminal, platform }: Deps,
  { profile, keyringProblem, leftoverKey }: SavedProfile,
): Promise<void> {
  if (profile.apiKeyIn !== undefined) await terminal.note('The key is in the system keyring.');
  if (keyringProblem !== undefined) {
    await terminal.warn(
      `the system keyring is not usable: ${keyringProblem}. Saved the key in the file instead, which only you can read.`,
    );
  }
  if (leftoverKey !== undefined) {
    const { message, hint } = stillThere([leftoverKey], platform);
    await terminal.warn(`${message}\n${hint}`);
  }
}

/** The error where keys could not be taken out of the keyring. */
export function stillThere(leftoverKeys: readonly LeftoverKey[], platform: string): CredentialsError {
  const names = leftoverKeys.map(({ entry }) => `"${entry.profile}"`).join(', ');
  const problem = leftoverKeys[0]?.problem ?? '';
  return new CredentialsError(
    leftoverKeys.length === 1
      ? `the key of ${names} is still in the system keyring: ${problem}`
      : `the keys of ${names} are still in the system keyring: ${problem}`,
    {
      hint: `to remove the rest manually, run:\n${leftoverKeys.map((one) => `  ${byHand(one, platform)}`).join('\n')}`,
    },
  );
}

function byHand({ entry }: LeftoverKey, platform: string): string {
  const service = shellWord(keyringService(entry.baseUrl));
  const user = shellWord(entry.profile);
  if (platform === 'darwin') return `security delete-generic-password -s ${service} -a ${user}`;
  if (platform === 'win32') return `cmdkey /delete:${entry.profile}.${keyringService(entry.baseUrl)}`;
  return `secret-tool clear service ${service} username ${user}`;
}
