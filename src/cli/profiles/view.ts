/** How profiles are shown: every value with where it came from, of the key only that it is there. */

import type { Resolution } from '../../profiles/resolve.ts';
import { formatSource, type Overridden, type Source } from '../../profiles/sources.ts';
import { type KeyStorage, keyStorage, type Profile } from '../../profiles/user-file.ts';
import type { Column, OutputOptions, View } from '../../terminal/index.ts';
import type { Setting } from './lazy/card.ts';

/** Where a key is; never the key. */
export type KeyKind = KeyStorage | 'environment';

/** What holds, as it is printed. */
export interface ProfileView {
  readonly profile: string | null;
  readonly baseUrl: string | null;
  readonly accountId: string | null;
  readonly accountHeader: string;
  readonly insecure: boolean;
  readonly key: KeyKind | null;
  readonly sources: Readonly<Record<Sourced, Source | null>>;
  /** What is there besides and does not hold. */
  readonly overridden: readonly Overridden[];
}

const SOURCED = ['profile', 'baseUrl', 'accountId', 'accountHeader', 'insecure', 'key'] as const;
type Sourced = (typeof SOURCED)[number];

/** Where a saved profile has its key. */
export function keyKind(profile: Profile | undefined): KeyKind | null {
  return (profile && keyStorage(profile)) ?? null;
}

/** What a resolution came to. `profile`: the saved one that it names. */
export function viewOf(resolution: Resolution, profile: Profile | undefined): ProfileView {
  const { profileName, baseUrl, accountId, accountHeader, insecure, apiKey, sources, overridden } =
    resolution;
  const fromEnvironment = sources.apiKey?.from === 'environment';
  return {
    profile: profileName ?? null,
    baseUrl: baseUrl ?? null,
    accountId: accountId ?? null,
    accountHeader,
    insecure,
    key: apiKey === undefined ? null : fromEnvironment ? 'environment' : keyKind(profile),
    sources: {
      profile: sources.profileName ?? null,
      baseUrl: sources.baseUrl ?? null,
      accountId: sources.accountId ?? null,
      accountHeader: sources.accountHeader,
      insecure: sources.insecure,
      key: sources.apiKey ?? null,
    },
    overridden,
  };
}

/** A key's place in words. */
const KEY_WORDS: Readonly<Record<KeyKind, string>> = {
  saved: '***, saved',
  command: '***, printed by apiKeyCommand',
  keyring: '***, in the system keyring',
  environment: '***',
};

const keyWords = ({ key }: ProfileView): string | null => (key === null ? null : KEY_WORDS[key]);

const WORDS: Readonly<Record<Sourced, string>> = {
  profile: 'profile',
  baseUrl: 'base URL',
  accountId: 'account',
  accountHeader: 'account header',
  insecure: 'plain http allowed',
  key: 'key',
};

const fromText = (view: ProfileView, key: Sourced): string | null => {
  const source = view.sources[key];
  return source === null ? null : formatSource(source);
};

/** For a program: each value, and in fields of their own where they came from. */
const columns: readonly Column<ProfileView>[] = [
  ...SOURCED.map((key) => ({ key, value: (view: ProfileView) => view[key] })),
  ...SOURCED.map((key) => ({ key: `sources.${key}`, value: (view: ProfileView) => fromText(view, key) })),
];

/** The values for a person, a source beside each. */
const settingsOf = (view: ProfileView, home: string): readonly Setting[] =>
  SOURCED.filter((key) => key !== 'insecure' || view.insecure).map((key) => {
    const value = view[key];
    const shown =
      typeof value === 'boolean' ? (value ? 'yes' : 'no') : key === 'key' ? keyWords(view) : value;
    const source = fromText(view, key);
    const from = source === null ? [] : [shorter(source, home), ...insteadOf(view, key, home)];
    return { name: WORDS[key], value: shown, from: shown === null ? null : from.join(', ') || null };
  });

/** A profile as it is printed: for a person as a table of its values. */
export const profileView = <T extends ProfileView>(
  data: T,
  output: OutputOptions,
  home: string,
): View<T> => ({
  kind: 'item',
  data,
  output,
  columns,
  card: async (shown) => (await import('./lazy/card.ts')).profileCard(shown.profile, settingsOf(shown, home)),
});

/** Whose value is there, too, and does not hold: what explains a surprise. */
const insteadOf = ({ overridden }: ProfileView, key: Sourced, home: string): string[] =>
  overridden
    .filter(({ name }) => name === key)
    .map(
      ({ value, source }) => `overrides ${value ?? 'the value'} from ${shorter(formatSource(source), home)}`,
    );

/** A path in the home folder as a shell would take it. */
export const shorter = (path: string, home: string): string =>
  home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
