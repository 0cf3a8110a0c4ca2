/** Plans what `sonde login` saves: the name, and the settings to keep from an earlier profile. */
import type { Problem } from '../../../src/base/errors.ts';
import {
  isExposed,
  parseBaseUrl,
  validateAccountId,
  validateHeaderName,
  validateName,
} from '../../../src/profiles/rules.ts';
import type { Profile, UserFile } from '../../../src/profiles/user-file.ts';

/** The profile that the user asks for. */
export interface ProfileRequest {
  readonly profile: string | undefined;
  /** Normalised. */
  readonly baseUrl: string;
  readonly accountId: string | undefined;
}

const STANDARD_NAME = 'default';

/**
 * Returns the name of the profile: the requested one; the profile of the same service and account, so that another login
 * renews it; `default` if it is free; or a name from the host, so that no other key is lost.
 */
export function chooseName(
  { profile, baseUrl, accountId }: ProfileRequest,
  { profiles, current }: UserFile,
): string {
  if (profile !== undefined) return profile;
  const same = [...profiles].filter(([, saved]) => saved.baseUrl === baseUrl);
  const fits = same.filter(([, saved]) => accountId === undefined || saved.accountId === accountId);
  const open = same.filter(([, saved]) => saved.accountId === undefined);
  const candidates = (fits.length > 0 ? fits : open).map(([name]) => name);
  const [first] = candidates;
  if (first !== undefined) return current !== undefined && candidates.includes(current) ? current : first;
  const hostName = new URL(baseUrl).host
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 56);
  const names = [STANDARD_NAME, hostName, ...Array.from(profiles, (_, index) => `${hostName}-${index + 2}`)];
  return names.find((name) => !profiles.has(name)) ?? STANDARD_NAME;
}

/** Returns the settings of an earlier profile with this name, if it is for the same service. */
export function findSavedSettings(name: string, baseUrl: string, { profiles }: UserFile): Partial<Profile> {
  const former = profiles.get(name);
  if (former?.baseUrl !== baseUrl) return {};
  const { accountId, accountHeader, insecure } = former;
  return { accountId, accountHeader, insecure };
}

/** Returns the problem of a base URL, as a predicate: `must be …`. Undefined: it is valid. */
export function findBaseUrlProblem(text: string, insecure: boolean): string | undefined {
  const parsed = parseBaseUrl(text);
  if ('problem' in parsed) return parsed.problem;
  if (!isExposed(parsed.value) || insecure) return undefined;
  return 'is plain http to another machine, which exposes the key: use https, or pass --insecure to allow it';
}

/** Returns all problems, each at its flag or variable. */
export function findProblems(
  texts: Readonly<Record<'baseUrl' | 'account' | 'accountHeader' | 'profile', SourcedText | undefined>>,
  insecure: boolean,
): Problem[] {
  const check = (
    one: SourcedText | undefined,
    findProblem: (text: string) => string | undefined,
  ): Problem[] => {
    const message = one && findProblem(one.value);
    return one && message ? [{ place: one.place, message }] : [];
  };
  return [
    ...check(texts.baseUrl, (text) => findBaseUrlProblem(text, insecure)),
    ...check(texts.account, validateAccountId),
    ...check(texts.accountHeader, validateHeaderName),
    ...check(texts.profile, validateName),
  ];
}

/** A text with its flag or variable. */
export interface SourcedText {
  readonly value: string;
  readonly place: string;
}

/** Returns the text of the flag, or else of the variable. An empty variable counts as unset. */
export function resolveText(
  typed: string | undefined,
  flag: string,
  env: Readonly<Record<string, string | undefined>>,
  variable?: string,
): SourcedText | undefined {
  if (typed !== undefined) return { value: typed, place: flag };
  const value = variable === undefined ? undefined : env[variable];
  return value && variable !== undefined ? { value, place: variable } : undefined;
}

/** Whether a text means a saved base URL. */
export function isSameUrl(saved: string, typed: string | undefined): boolean {
  const parsed = parseBaseUrl(typed ?? '');
  return 'value' in parsed && parsed.value === saved;
}
