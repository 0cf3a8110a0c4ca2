/** `sonde login`: tests a key and saves it with its service as a profile. */
import { EXIT } from '../src/base/exits.ts';
import { openConnection } from '../src/cli/framework/deps.ts';
import { quoteShellWord } from '../src/cli/framework/format-command-line.ts';
import { type Deps, defineCommand, flag, text } from '../src/cli/framework/index.ts';
import type { Globals } from '../src/cli/framework/types.ts';
import { keyringOption, reportKeyStorage } from '../src/cli/profiles/keyring.ts';
import { keyKind, shortenPath } from '../src/cli/profiles/profile-view.ts';
import { readProfiles } from '../src/cli/profiles/remove-profiles.ts';
import { runKeyCommand } from '../src/profiles/key-command.ts';
import { saveProfileWithKey } from '../src/profiles/profiles-with-keys.ts';
import { DEFAULT_ACCOUNT_HEADER } from '../src/profiles/rules.ts';
import type { Profile } from '../src/profiles/user-file.ts';
import { render } from '../src/terminal/index.ts';
import { findAccountHeader } from './login/shared/account-header.ts';
import { testKey } from './login/shared/key.ts';
import { isSameUrl } from './login/shared/plan.ts';
import { resolveLogin } from './login/shared/questions.ts';

/** Retry budget of the test in ms: a user is waiting, and a wrong URL stays wrong. */
const TRIAL_BUDGET = 5_000;

export const command = defineCommand({
  name: 'login',
  summary: 'Save a service and its key as a profile',
  description:
    'Reads the key from stdin; in a terminal, prompts for missing values. Tests the key against the service before saving it, and later sends it only to that base URL. Never pass a key as an argument: other users can see arguments. With --api-key-command, the shell (/bin/sh, in your home folder) runs the command once for each sonde command that needs the key.',
  options: {
    apiKeyCommand: text('Command that prints the key, saved instead of the key', { placeholder: 'command' }),
    keyring: keyringOption,
    insecure: flag('Allow plain http to other machines'),
    verify: flag('Save the key without testing it', { negative: 'only' }),
  },
  examples: [
    { line: 'login', does: 'Enter the base URL, key and account at prompts' },
    {
      line: 'login --base-url https://api.example.com --profile production < key.txt',
      does: 'Read the key from a file and save it as profile production',
    },
    {
      line: "login --base-url https://api.example.com --api-key-command 'pass show sonde'",
      does: 'Read the key from a password manager',
    },
    {
      line: 'login --base-url https://api.example.com --keyring < key.txt',
      does: 'Store the key in the system keyring',
    },
  ],
  exits: [
    [EXIT.credentials, 'the service rejected the key; nothing was saved'],
    [EXIT.unreachable, 'service unreachable or repeatedly failing; nothing was saved'],
  ],
  async run(deps, { options, globals, output }) {
    const { terminal, env, home, keyHost } = deps;
    const user = readProfiles(deps);
    const attempt = async (wished: string, tried: Profile): Promise<Profile> =>
      options.verify ? testProfile(deps, globals, wished, tried) : tried;
    const request = await resolveLogin(deps, user, globals, options, attempt);
    const { name, profile } = request;

    const former = user.profiles.get(name);
    const safe = { env, home, warn: () => undefined, host: keyHost };
    const stored = await saveProfileWithKey(safe, name, profile, {
      inKeyring: request.inKeyring,
      makeCurrent: true,
    });
    const { path } = stored;
    const { baseUrl, accountId, accountHeader } = profile;
    if (former !== undefined) {
      const elsewhere = former.baseUrl === baseUrl ? '' : `, which was for ${former.baseUrl}`;
      await terminal.note(`Replaced profile "${name}"${elsewhere}.`);
    }
    await terminal.note(
      options.verify ? `Logged in to ${baseUrl}.` : `Saved the key for ${baseUrl} without testing it.`,
    );
    await terminal.note(`Profile "${name}" is now the current profile (${shortenPath(path, home)}).`);
    if (profile.accountHeader !== undefined && former?.accountHeader !== profile.accountHeader)
      await terminal.note(`The account ID is sent in the header ${profile.accountHeader}.`);
    await reportKeyStorage(deps, stored);
    if (request.isInteractive)
      await terminal.note(`To repeat this without prompts, run:\n  ${formatCommand(name, stored.profile)}`);
    await warnAboutVariables(deps, name, baseUrl);
    if (output.format === undefined) return;
    await render(terminal, {
      kind: 'item',
      data: {
        profile: name,
        baseUrl,
        accountId: accountId ?? null,
        accountHeader: accountHeader ?? DEFAULT_ACCOUNT_HEADER,
        insecure: profile.insecure === true,
        key: keyKind(stored.profile),
        current: true,
        verified: options.verify,
        replaced: former !== undefined,
      },
      output,
    });
  },
});

/**
 * Returns the profile, with the account header that the service reads if the profile names none. Throws if the service rejects the
 * key or does not respond. Nothing is saved yet.
 */
async function testProfile(deps: Deps, globals: Globals, name: string, profile: Profile): Promise<Profile> {
  const { terminal, env, home, signal, keyHost } = deps;
  const { baseUrl, accountId, apiKey, apiKeyCommand = '' } = profile;
  // Runs once, and before the spinner: a password manager may prompt for its own password.
  const key =
    apiKey ?? (await runKeyCommand({ command: apiKeyCommand, profile: name, env, cwd: home, ...keyHost }));
  const tryHeader = async (accountHeader: string, account = accountId): Promise<void> => {
    const connection = { baseUrl, accountId: account, accountHeader, apiKey: async () => key };
    const client = openConnection(connection, deps, terminal, globals);
    try {
      await testKey(client, {
        signal,
        budgetMs: globals.retryBudget ?? TRIAL_BUDGET,
        refusal: `${baseUrl} rejected the key${accountId === undefined ? '' : ` for the account ${accountId}`}`,
        hint:
          accountId === undefined
            ? 'nothing was saved; check the key, and if it has access to several accounts, pass --account'
            : 'nothing was saved; check that the key has access to the account',
        unknown: 'nothing was saved; to save a key without testing it, pass --no-verify',
      });
    } finally {
      await client.close();
    }
  };
  const spinner = terminal.spinner(`Testing the key against ${baseUrl}`);
  try {
    if (accountId === undefined || profile.accountHeader !== undefined) {
      await tryHeader(profile.accountHeader ?? DEFAULT_ACCOUNT_HEADER);
      return profile;
    }
    const found = await findAccountHeader(tryHeader, accountId);
    return found === DEFAULT_ACCOUNT_HEADER ? profile : { ...profile, accountHeader: found };
  } finally {
    await spinner.stop();
  }
}

/** Warns about environment variables that override the saved profile. */
async function warnAboutVariables({ terminal, env }: Deps, name: string, baseUrl: string): Promise<void> {
  if (env.SONDE_API_KEY) {
    await terminal.warn('SONDE_API_KEY is set and overrides the saved key in this environment.');
  }
  if (env.SONDE_PROFILE && env.SONDE_PROFILE !== name) {
    await terminal.warn(
      `SONDE_PROFILE is set: commands in this environment use profile "${env.SONDE_PROFILE}".`,
    );
  }
  if (env.SONDE_BASE_URL && !isSameUrl(baseUrl, env.SONDE_BASE_URL)) {
    await terminal.warn(`SONDE_BASE_URL is set to another URL; sonde does not send the saved key there.`);
  }
}

/** Returns the command that saves the same profile without prompts. */
function formatCommand(
  name: string,
  { baseUrl, apiKeyCommand, apiKeyIn, accountId, accountHeader, insecure }: Profile,
): string {
  const flags = [
    ['--base-url', baseUrl],
    ['--account', accountId],
    ['--account-header', accountHeader],
    ['--api-key-command', apiKeyCommand],
    ['--profile', name],
  ].flatMap(([word = '', value]) => (value === undefined ? [] : [`${word} ${quoteShellWord(value)}`]));
  const piped = apiKeyCommand === undefined ? 'printf %s "$KEY" | ' : '';
  const switches = [
    ...(apiKeyIn === undefined ? [] : ['--keyring']),
    ...(insecure === true ? ['--insecure'] : []),
  ];
  return `${piped}sonde login ${[...flags, ...switches].join(' ')}`;
}
