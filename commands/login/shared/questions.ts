/** What `sonde login` needs to know: from flags, variables and stdin, and in a terminal from a person. */
import { ApiError, type Problem, UsageError } from '../../../src/base/errors.ts';
import { EXIT } from '../../../src/base/exits.ts';
import { phraseOf, REQUIRED_FLAG } from '../../../src/base/phrases.ts';
import type { Deps } from '../../../src/cli/framework/index.ts';
import type { Globals } from '../../../src/cli/framework/types.ts';
import { manyProblems } from '../../../src/cli/framework/usage-error.ts';
import { runningService, serviceFolder } from '../../../src/cli/local-service/data-folder.ts';
import { asksForKeyring } from '../../../src/cli/profiles/keyring.ts';
import { parseBaseUrl, validateAccountId } from '../../../src/profiles/rules.ts';
import { type Secret, toSecret } from '../../../src/profiles/secret.ts';
import type { Profile, UserFile } from '../../../src/profiles/user-file.ts';
import { askSecret, askText } from '../../../src/terminal/index.ts';
import { noKey, readKey } from './key-input.ts';
import { baseUrlProblem, given, kept, nameFor, sameUrl, wishProblems } from './plan.ts';

/** What the line says besides the global options. */
export interface LoginOptions {
  readonly apiKeyCommand: string | undefined;
  readonly accountHeader: string | undefined;
  readonly insecure: boolean;
  readonly keyring: boolean | undefined;
}

/** What is to be saved. */
export interface LoginWish {
  readonly name: string;
  readonly profile: Profile;
  /** Whether the key is to go into the system's keyring. */
  readonly inKeyring: boolean;
  /** Whether a person was asked for any of it. */
  readonly asked: boolean;
}

/**
 * The profile to be, which `attempt` has let pass; what is missing is asked for, and a key that a person typed again where it
 * is refused. Throws UsageError where nobody can be asked, and what `attempt` throws.
 */
export async function gatherLogin(
  deps: Deps,
  user: UserFile,
  globals: Globals,
  options: LoginOptions,
  attempt: (name: string, profile: Profile) => Promise<void>,
): Promise<LoginWish> {
  const { terminal, env, signal } = deps;
  const texts = {
    baseUrl: given(globals.baseUrl, '--base-url', env, 'SONDE_BASE_URL'),
    account: given(globals.account, '--account', env, 'SONDE_ACCOUNT_ID'),
    accountHeader: given(options.accountHeader, '--account-header', env),
    profile: given(globals.profile, '--profile', env, 'SONDE_PROFILE'),
  };
  const savedInsecure = [...user.profiles.values()].some(
    ({ baseUrl, insecure }) => insecure === true && sameUrl(baseUrl, texts.baseUrl?.value),
  );
  const insecure = options.insecure || savedInsecure;
  const asks = terminal.canAsk;
  const problems: Problem[] = wishProblems(texts, insecure);
  if (texts.baseUrl === undefined && !asks) {
    problems.push({ place: '--base-url', message: REQUIRED_FLAG });
  }
  const { apiKeyCommand } = options;
  if (apiKeyCommand !== undefined && options.keyring === true) {
    problems.push({ place: '--keyring', message: 'cannot be combined with --api-key-command' });
  }
  if (problems.length > 0) throw unusable(problems);
  // Without a terminal at its end, stdin holds the key; with one, nobody may be there to type it.
  if (apiKeyCommand === undefined && terminal.stdin.isTTY && !asks) {
    throw noKey('stdin is a terminal, but prompts are disabled');
  }

  const asksUrl = texts.baseUrl === undefined;
  const typedUrl = texts.baseUrl?.value ?? (await askBaseUrl(deps, user, texts.profile?.value, insecure));
  const judged = parseBaseUrl(typedUrl);
  if ('problem' in judged) throw unusable([{ place: '--base-url', message: judged.problem }]);
  const baseUrl = judged.value;
  const asksKey = apiKeyCommand === undefined && asks;
  const asksAccount = texts.account === undefined && asksKey;
  const take = async (lastAccount: string | undefined): Promise<{ name: string; profile: Profile }> => {
    const wish = { profile: texts.profile?.value, baseUrl, accountId: texts.account?.value };
    const apiKey = apiKeyCommand === undefined ? await takeKey(deps, asksKey, baseUrl) : undefined;
    const known = lastAccount ?? kept(nameFor(wish, user), baseUrl, user).accountId;
    const accountId = asksAccount ? await askAccount(deps, known) : wish.accountId;
    signal.throwIfAborted();
    const name = nameFor({ ...wish, accountId }, user);
    const before = kept(name, baseUrl, user);
    const profile: Profile = {
      baseUrl,
      apiKey,
      apiKeyCommand,
      accountId: accountId ?? (asksAccount ? undefined : before.accountId),
      accountHeader: options.accountHeader ?? before.accountHeader,
      insecure: options.insecure || before.insecure === true || savedInsecure ? true : undefined,
    };
    return { name, profile };
  };
  let taken = await take(undefined);
  for (;;) {
    try {
      await attempt(taken.name, taken.profile);
      break;
    } catch (error) {
      if (!asksKey || !(error instanceof ApiError) || error.exitCode !== EXIT.credentials) throw error;
      // A key that was pasted in part is no reason to type all else again.
      await terminal.warn(error.message);
      await terminal.note('Nothing was saved. Try again, or press Ctrl-C to quit.');
      taken = await take(taken.profile.accountId);
    }
  }
  const { name, profile } = taken;
  const wasThere = user.profiles.get(name)?.apiKeyIn !== undefined;
  const inKeyring =
    apiKeyCommand === undefined &&
    (options.keyring ??
      (asksKey ? await asksForKeyring(deps, { baseUrl, profile: name }, wasThere) : wasThere));
  return { name, profile, inKeyring, asked: asksUrl || asksKey };
}

function unusable(problems: readonly Problem[]): UsageError {
  const [first] = problems;
  const message =
    first !== undefined && problems.length === 1 ? phraseOf(first) : manyProblems(problems.length);
  return new UsageError(message, {
    details: problems,
    hint: 'for example: printf %s "$KEY" | sonde login --base-url https://api.example.com',
  });
}

async function askBaseUrl(
  deps: Deps,
  { profiles, current }: UserFile,
  name: string | undefined,
  insecure: boolean,
): Promise<string> {
  const { terminal, signal } = deps;
  const known =
    profiles.get(name ?? current ?? '')?.baseUrl ??
    (await runningService(serviceFolder(deps, undefined)))?.record.url;
  const answer = await askText(terminal, {
    message: 'Base URL of the service:',
    flag: '--base-url',
    signal,
    ...(known === undefined ? {} : { default: known }),
    validate: (answer) => {
      const problem = baseUrlProblem(answer.trim(), insecure || known === answer.trim());
      return problem === undefined ? undefined : `the base URL ${problem}`;
    },
  });
  return answer.trim();
}

async function takeKey({ terminal, clock, signal }: Deps, asks: boolean, baseUrl: string): Promise<Secret> {
  if (!asks) return readKey(terminal.stdin, clock, signal);
  const answer = await askSecret(terminal, {
    message: `API key for ${baseUrl}:`,
    flag: 'the key on stdin',
    signal,
    validate: (typed) => {
      try {
        toSecret(typed.trim(), 'the prompt');
        return undefined;
      } catch (error) {
        return error instanceof Error ? error.message : undefined;
      }
    },
  });
  return toSecret(answer.trim(), 'the prompt');
}

async function askAccount(
  { terminal, signal }: Deps,
  known: string | undefined,
): Promise<string | undefined> {
  const answer = await askText(terminal, {
    message:
      known === undefined ? 'Account ID, if the key has access to several (Enter for none):' : 'Account ID:',
    flag: '--account',
    signal,
    ...(known === undefined ? {} : { default: known }),
    validate: (typed) => {
      const problem = typed.trim() === '' ? undefined : validateAccountId(typed.trim());
      return problem === undefined ? undefined : `this ${problem}`;
    },
  });
  return answer.trim() || undefined;
}
