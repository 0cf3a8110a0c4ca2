/** Defines the keyring option, asks where to store a key, and reports where it is stored. */
import { CredentialsError } from '../../base/errors.ts';
import { userFilePath } from '../../profiles/folders.ts';
import { isKeyringAvailable, type KeyringEntry, keyringService } from '../../profiles/keyring.ts';
import type { LeftoverKey, SavedProfile } from '../../profiles/profiles-with-keys.ts';
import { askChoice } from '../../terminal/index.ts';
import { quoteShellWord } from '../framework/format-command-line.ts';
import { type Deps, flag } from '../framework/index.ts';
import type { Option } from '../framework/options.ts';
import { shortenPath } from './profile-view.ts';

/** `--keyring`, `--no-keyring`. Undefined: neither. */
export const keyringOption: Option<boolean | undefined> = {
  ...flag('Store the key in the system keyring instead of the file', { negative: 'also' }),
  read: (texts) => (texts === undefined ? undefined : texts.at(-1) === 'true'),
};

/**
 * Asks where to store the key, if a keyring is available. Returns true for the keyring. `before`: the default, which is true if
 * the profile has a key there.
 */
export async function askKeyStorage(deps: Deps, entry: KeyringEntry, before: boolean): Promise<boolean> {
  const { terminal, env, home, keyHost, signal } = deps;
  if (!(await isKeyringAvailable(entry, { env, ...keyHost }))) return false;
  const ring = { value: true, name: 'In the system keyring' };
  const file = {
    value: false,
    name: `In a file that only you can read (${shortenPath(userFilePath(env, home), home)})`,
  };
  return askChoice(terminal, {
    message: 'Key storage:',
    flag: '--keyring or --no-keyring',
    signal,
    choices: [ring, file],
    default: before,
  });
}

/** Prints where a key is stored, and problems with the keyring. */
export async function reportKeyStorage(
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
    const { message, hint } = keyringRemovalError([leftoverKey], platform);
    await terminal.warn(`${message}\n${hint}`);
  }
}

/** Returns the error for keys that could not be removed from the keyring. */
export function keyringRemovalError(
  leftoverKeys: readonly LeftoverKey[],
  platform: string,
): CredentialsError {
  const names = leftoverKeys.map(({ entry }) => `"${entry.profile}"`).join(', ');
  const problem = leftoverKeys[0]?.problem ?? '';
  return new CredentialsError(
    leftoverKeys.length === 1
      ? `the key of ${names} is still in the system keyring: ${problem}`
      : `the keys of ${names} are still in the system keyring: ${problem}`,
    {
      hint: `to remove the rest manually, run:\n${leftoverKeys.map((one) => `  ${manualCommand(one, platform)}`).join('\n')}`,
    },
  );
}

function manualCommand({ entry }: LeftoverKey, platform: string): string {
  const service = quoteShellWord(keyringService(entry.baseUrl));
  const user = quoteShellWord(entry.profile);
  if (platform === 'darwin') return `security delete-generic-password -s ${service} -a ${user}`;
  if (platform === 'win32') return `cmdkey /delete:${entry.profile}.${keyringService(entry.baseUrl)}`;
  return `secret-tool clear service ${service} username ${user}`;
}
