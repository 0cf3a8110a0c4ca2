/** Collects what `sonde login` needs from flags, variables and stdin, and from prompts in a terminal. */
import { ApiError, type Problem, UsageError } from '../../../src/base/errors.ts';
import { EXIT } from '../../../src/base/exits.ts';
import { formatProblem, formatProblemCount, REQUIRED_FLAG } from '../../../src/base/phrases.ts';
import type { Deps } from '../../../src/cli/framework/index.ts';
import type { Globals } from '../../../src/cli/framework/types.ts';
import { findRunningService, serviceFolder } from '../../../src/cli/local-service/data-folder.ts';
import { askKeyStorage } from '../../../src/cli/profiles/keyring.ts';
import { parseBaseUrl, validateAccountId } from '../../../src/profiles/rules.ts';
import { type Secret, toSecret } from '../../../src/profiles/secret.ts';
import type { Profile, UserFile } from '../../../src/profiles/user-file.ts';
import { askSecret, askText } from '../../../src/terminal/index.ts';
import { missingKeyError, readKey } from './key.ts';
import {
  chooseName,
  findBaseUrlProblem,
  findProblems,
  findSavedSettings,
  isSameUrl,
  resolveText,
} from './plan.ts';

export interface LoginOptions {
  readonly apiKeyCommand: string | undefined;
  readonly insecure: boolean;
  readonly keyring: boolean | undefined;
}

/** The profile to save. */
export interface LoginRequest {
  readonly name: string;
  readonly profile: Profile;
  /** Whether to store the key in the system keyring. */
  readonly inKeyring: boolean;
  /** Whether any value came from a prompt. */
  readonly isInteractive: boolean;
}

/**
 * Returns the profile, tested by `attempt`, which may complete it. Prompts for missing values, and again for a key that the service rejects. Throws
 * UsageError for missing values without a terminal, and what `attempt` throws.
 */
export async function resolveLogin(
  deps: Deps,
  user: UserFile,
  globals: Globals,
  options: LoginOptions,
  attempt: (name: string, profile: Profile) => Promise<Profile>,
): Promise<LoginRequest> {
  const { terminal, env, signal } = deps;
  const texts = {
    baseUrl: resolveText(globals.baseUrl, '--base-url', env, 'SONDE_BASE_URL'),
    account: resolveText(globals.account, '--account', env, 'SONDE_ACCOUNT_ID'),
    accountHeader: resolveText(globals.accountHeader, '--account-header', env, 'SONDE_ACCOUNT_HEADER'),
    profile: resolveText(globals.profile, '--profile', env, 'SONDE_PROFILE'),
  };
  const savedInsecure = [...user.profiles.values()].some(
    ({ baseUrl, insecure }) => insecure === true && isSameUrl(baseUrl, texts.baseUrl?.value),
  );
  const insecure = options.insecure || savedInsecure;
  const asks = terminal.canAsk;
  const problems: Problem[] = findProblems(texts, insecure);
  if (texts.baseUrl === undefined && !asks) {
    problems.push({ place: '--base-url', message: REQUIRED_FLAG });
  }
  const { apiKeyCommand } = options;
  if (apiKeyCommand !== undefined && options.keyring === true) {
    problems.push({ place: '--keyring', message: 'cannot be combined with --api-key-command' });
  }
  if (problems.length > 0) throw toUsageError(problems);
  // A key comes from stdin unless stdin is a terminal, which is useless if prompts are disabled.
  if (apiKeyCommand === undefined && terminal.stdin.isTTY && !asks) {
    throw missingKeyError('stdin is a terminal, but prompts are disabled');
  }

  const asksUrl = texts.baseUrl === undefined;
  const typedUrl = texts.baseUrl?.value ?? (await askBaseUrl(deps, user, texts.profile?.value, insecure));
  const parsed = parseBaseUrl(typedUrl);
  if ('problem' in parsed) throw toUsageError([{ place: '--base-url', message: parsed.problem }]);
  const baseUrl = parsed.value;
  const asksKey = apiKeyCommand === undefined && asks;
  const asksAccount = texts.account === undefined && asksKey;
  const collect = async (lastAccount: string | undefined): Promise<{ name: string; profile: Profile }> => {
    const request = { profile: texts.profile?.value, baseUrl, accountId: texts.account?.value };
    const apiKey = apiKeyCommand === undefined ? await obtainKey(deps, asksKey, baseUrl) : undefined;
    const known = lastAccount ?? findSavedSettings(chooseName(request, user), baseUrl, user).accountId;
    const accountId = asksAccount ? await askAccount(deps, known) : request.accountId;
    signal.throwIfAborted();
    const name = chooseName({ ...request, accountId }, user);
    const before = findSavedSettings(name, baseUrl, user);
    const profile: Profile = {
      baseUrl,
      apiKey,
      apiKeyCommand,
      accountId: accountId ?? (asksAccount ? undefined : before.accountId),
      accountHeader: texts.accountHeader?.value ?? before.accountHeader,
      insecure: options.insecure || before.insecure === true || savedInsecure ? true : undefined,
    };
    return { name, profile };
  };
  let collected = await collect(undefined);
  for (;;) {
    try {
      const profile = await attempt(collected.name, collected.profile);
      collected = { ...collected, profile };
      break;
    } catch (error) {
      if (!asksKey || !(error instanceof ApiError) || error.exitCode !== EXIT.credentials) throw error;
      // After a mistyped key, ask only for the key and account again.
      await terminal.warn(error.message);
      await terminal.note('Nothing was saved. Try again, or press Ctrl-C to quit.');
      collected = await collect(collected.profile.accountId);
    }
  }
  const { name, profile } = collected;
  const wasThere = user.profiles.get(name)?.apiKeyIn !== undefined;
  const inKeyring =
    apiKeyCommand === undefined &&
    (options.keyring ??
      (asksKey ? await askKeyStorage(deps, { baseUrl, profile: name }, wasThere) : wasThere));
  return { name, profile, inKeyring, isInteractive: asksUrl || asksKey };
}

function toUsageError(problems: readonly Problem[]): UsageError {
  const [first] = problems;
  const message =
    first !== undefined && problems.length === 1 ? formatProblem(first) : formatProblemCount(problems.length);
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
    (await findRunningService(serviceFolder(deps, undefined)))?.record.url;
  const answer = await askText(terminal, {
    message: 'Base URL of the service:',
    flag: '--base-url',
    signal,
    ...(known === undefined ? {} : { default: known }),
    validate: (answer) => {
      const problem = findBaseUrlProblem(answer.trim(), insecure || known === answer.trim());
      return problem === undefined ? undefined : `the base URL ${problem}`;
    },
  });
  return answer.trim();
}

async function obtainKey({ terminal, clock, signal }: Deps, asks: boolean, baseUrl: string): Promise<Secret> {
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
