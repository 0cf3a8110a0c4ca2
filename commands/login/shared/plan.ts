/** What `sonde login` saves: under which name, and what of an earlier profile for the same service stays. */
import type { Problem } from '../../../src/base/errors.ts';
import {
  isExposed,
  parseBaseUrl,
  validateAccountId,
  validateHeaderName,
  validateName,
} from '../../../src/profiles/rules.ts';
import type { Profile, UserFile } from '../../../src/profiles/user-file.ts';

/** What was said about the service so far. */
export interface Wish {
  readonly profile: string | undefined;
  /** Normalised. */
  readonly baseUrl: string;
  readonly accountId: string | undefined;
}

const STANDARD_NAME = 'default';

/**
 * The name to save under: the one that was wished for; the profile of the same service and account, so that logging in
 * again renews it; `default` where that is free; else a name made of the host, so that no key of another service is lost.
 */
export function nameFor({ profile, baseUrl, accountId }: Wish, { profiles, current }: UserFile): string {
  if (profile !== undefined) return profile;
  const same = [...profiles].filter(([, saved]) => saved.baseUrl === baseUrl);
  const fits = same.filter(([, saved]) => accountId === undefined || saved.accountId === accountId);
  const open = same.filter(([, saved]) => saved.accountId === undefined);
  const candidates = (fits.length > 0 ? fits : open).map(([name]) => name);
  const [first] = candidates;
  if (first !== undefined) return current !== undefined && candidates.includes(current) ? current : first;
  const made = new URL(baseUrl).host
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 56);
  const names = [STANDARD_NAME, made, ...Array.from(profiles, (_, index) => `${made}-${index + 2}`)];
  return names.find((name) => !profiles.has(name)) ?? STANDARD_NAME;
}

/** What an earlier profile of that name keeps: account, header and `insecure` hold for their own service only. */
export function kept(name: string, baseUrl: string, { profiles }: UserFile): Partial<Profile> {
  const former = profiles.get(name);
  if (former?.baseUrl !== baseUrl) return {};
  const { accountId, accountHeader, insecure } = former;
  return { accountId, accountHeader, insecure };
}

/** What is wrong with a base URL, in a sentence without subject; nothing where it can be used. */
export function baseUrlProblem(text: string, insecure: boolean): string | undefined {
  const judged = parseBaseUrl(text);
  if ('problem' in judged) return judged.problem;
  if (!isExposed(judged.value) || insecure) return undefined;
  return 'is plain http to another machine, which exposes the key: use https, or pass --insecure to allow it';
}

/** All that is wrong with what the line gave, each with the flag or variable that it came from. */
export function wishProblems(
  given: Readonly<Record<'baseUrl' | 'account' | 'accountHeader' | 'profile', Given | undefined>>,
  insecure: boolean,
): Problem[] {
  const check = (one: Given | undefined, judge: (text: string) => string | undefined): Problem[] => {
    const message = one && judge(one.value);
    return one && message ? [{ place: one.place, message }] : [];
  };
  return [
    ...check(given.baseUrl, (text) => baseUrlProblem(text, insecure)),
    ...check(given.account, validateAccountId),
    ...check(given.accountHeader, validateHeaderName),
    ...check(given.profile, validateName),
  ];
}

/** A text and the flag or variable that it came from. */
export interface Given {
  readonly value: string;
  readonly place: string;
}

/** The flag's text, else the variable's; an empty variable counts as unset. */
export function given(
  typed: string | undefined,
  flag: string,
  env: Readonly<Record<string, string | undefined>>,
  variable?: string,
): Given | undefined {
  if (typed !== undefined) return { value: typed, place: flag };
  const value = variable === undefined ? undefined : env[variable];
  return value && variable !== undefined ? { value, place: variable } : undefined;
}

/** Whether a text is another spelling of a saved base URL. */
export function sameUrl(saved: string, typed: string | undefined): boolean {
  const judged = parseBaseUrl(typed ?? '');
  return 'value' in judged && judged.value === saved;
}
