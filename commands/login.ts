/** `sonde login`: tries a key and saves it, with its service, as a profile. */
import { EXIT } from '../src/base/exits.ts';
import { runKeyCommand } from '../src/profiles/key-command.ts';
import { DEFAULT_ACCOUNT_HEADER } from '../src/profiles/rules.ts';
import { keepProfile } from '../src/profiles/safekeeping.ts';
import type { Profile } from '../src/profiles/user-file.ts';
import { render } from '../src/terminal/index.ts';
import { clientFor } from './kernel/connect.ts';
import { type Deps, defineCommand, flag, text } from './kernel/index.ts';
import type { Globals } from './kernel/types.ts';
import { shellWord } from './shared/command-line.ts';
import { sameUrl } from './shared/login/plan.ts';
import { gatherLogin } from './shared/login/questions.ts';
import { tryKey } from './shared/login/sign-in.ts';
import { keyringOption, tellOfKeyring } from './shared/profiles/keyring.ts';
import { readProfiles } from './shared/profiles/removal.ts';
import { keyKind, shorter } from './shared/profiles/view.ts';

/** Faults are retried for this long (ms): a person waits, and a wrong address stays wrong. */
const TRIAL_BUDGET = 5_000;

export const command = defineCommand({
  name: 'login',
  summary: 'Save a key and its service as a profile',
  description:
    'The key is read from stdin; in a terminal, what is missing is asked for. The key is tried on the service before it is saved, and goes to that address only. Never give it as an argument: others can see those. A command that prints it is run by the shell (/bin/sh, in your home folder) whenever a command of sonde needs the key, once.',
  options: {
    apiKeyCommand: text('Save a command that prints the key, instead of a key', { placeholder: 'command' }),
    keyring: keyringOption,
    accountHeader: text('Header that carries the account id; x-service-account unless given', {
      placeholder: 'name',
    }),
    insecure: flag('Allow plain http beyond this machine'),
    verify: flag('Save without trying the key', { negative: 'only' }),
  },
  examples: [
    { line: 'login', does: 'asks for the address, the key and the account' },
    {
      line: 'login --base-url https://api.example.com --profile production < key.txt',
      does: 'takes the key from a file, and saves it as the profile production',
    },
    {
      line: "login --base-url https://api.example.com --api-key-command 'pass show sonde'",
      does: 'leaves the key in a password manager',
    },
    {
      line: 'login --base-url https://api.example.com --keyring < key.txt',
      does: "keeps the key in the system's keyring",
    },
  ],
  exits: [
    [EXIT.credentials, 'the service refuses the key; nothing was saved'],
    [EXIT.unreachable, 'the service could not be reached or kept failing; nothing was saved'],
  ],
  async run(deps, { options, globals, output }) {
    const { terminal, env, home, keyHost } = deps;
    const user = await readProfiles(deps);
    const attempt = async (wished: string, tried: Profile): Promise<void> => {
      if (options.verify) await tryProfile(deps, globals, wished, tried);
    };
    const wish = await gatherLogin(deps, user, globals, options, attempt);
    const { name, profile } = wish;

    const former = user.profiles.get(name);
    const safe = { env, home, warn: () => undefined, host: keyHost };
    const kept = await keepProfile(safe, name, profile, { inKeyring: wish.inKeyring, makeCurrent: true });
    const { path } = kept;
    const { baseUrl, accountId, accountHeader } = profile;
    if (former !== undefined) {
      const elsewhere = former.baseUrl === baseUrl ? '' : `, which was for ${former.baseUrl}`;
      await terminal.note(`Replaced the profile "${name}"${elsewhere}.`);
    }
    await terminal.note(
      options.verify ? `Logged in to ${baseUrl}.` : `The key for ${baseUrl} was saved without trying it.`,
    );
    await terminal.note(`The profile "${name}" is the current one (${shorter(path, home)}).`);
    await tellOfKeyring(deps, kept);
    if (wish.asked) await terminal.note(`The same without questions:\n  ${lineFor(name, kept.profile)}`);
    await warnOfVariables(deps, name, baseUrl);
    if (output.format === undefined) return;
    await render(terminal, {
      kind: 'item',
      data: {
        profile: name,
        baseUrl,
        accountId: accountId ?? null,
        accountHeader: accountHeader ?? DEFAULT_ACCOUNT_HEADER,
        insecure: profile.insecure === true,
        key: keyKind(kept.profile),
        current: true,
        verified: options.verify,
        replaced: former !== undefined,
      },
      output,
    });
  },
});

/** Throws where the service does not accept the key, or does not answer; nothing is saved yet. */
async function tryProfile(deps: Deps, globals: Globals, name: string, profile: Profile): Promise<void> {
  const { terminal, env, home, signal, keyHost } = deps;
  const { baseUrl, accountId, accountHeader = DEFAULT_ACCOUNT_HEADER, apiKey, apiKeyCommand = '' } = profile;
  // Asked for once, and before anything moves on the screen: a password manager may ask for its own password there.
  const key =
    apiKey ?? (await runKeyCommand({ command: apiKeyCommand, profile: name, env, cwd: home, ...keyHost }));
  const connection = { baseUrl, accountId, accountHeader, apiKey: async () => key };
  const client = clientFor(connection, deps, terminal, globals);
  const spinner = terminal.spinner(`Trying the key on ${baseUrl}`);
  try {
    await tryKey(client, {
      signal,
      budgetMs: globals.retryBudget ?? TRIAL_BUDGET,
      refusal: `${baseUrl} refuses the key${accountId === undefined ? '' : ` for the account ${accountId}`}`,
      hint:
        accountId === undefined
          ? 'nothing was saved; check the key, and where it sees several accounts name one with --account'
          : 'nothing was saved; check that the account is one that the key belongs to',
      unknown: 'nothing was saved; --no-verify saves a key without trying it',
    });
  } finally {
    await spinner.stop();
    await client.close();
  }
}

/** Variables that go before what was just saved would make the next command a riddle. */
async function warnOfVariables({ terminal, env }: Deps, name: string, baseUrl: string): Promise<void> {
  if (env.SONDE_API_KEY) {
    await terminal.warn('SONDE_API_KEY is set and goes before the saved key in this environment.');
  }
  if (env.SONDE_PROFILE && env.SONDE_PROFILE !== name) {
    await terminal.warn(`SONDE_PROFILE is set: commands here use "${env.SONDE_PROFILE}".`);
  }
  if (env.SONDE_BASE_URL && !sameUrl(baseUrl, env.SONDE_BASE_URL)) {
    await terminal.warn(`SONDE_BASE_URL is set to another address, where the saved key does not go.`);
  }
}

/** The line that would have saved the same. */
function lineFor(
  name: string,
  { baseUrl, apiKeyCommand, apiKeyIn, accountId, accountHeader, insecure }: Profile,
): string {
  const flags = [
    ['--base-url', baseUrl],
    ['--account', accountId],
    ['--account-header', accountHeader],
    ['--api-key-command', apiKeyCommand],
    ['--profile', name],
  ].flatMap(([word = '', value]) => (value === undefined ? [] : [`${word} ${shellWord(value)}`]));
  const piped = apiKeyCommand === undefined ? 'printf %s "$KEY" | ' : '';
  const switches = [
    ...(apiKeyIn === undefined ? [] : ['--keyring']),
    ...(insecure === true ? ['--insecure'] : []),
  ];
  return `${piped}sonde login ${[...flags, ...switches].join(' ')}`;
}
