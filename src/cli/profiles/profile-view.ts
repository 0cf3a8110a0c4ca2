/** Describes how profiles are printed: each value with its source, and only the storage of the key. */
import type { Resolution } from '../../profiles/resolve.ts';
import { formatSource, type Overridden, type Source } from '../../profiles/sources.ts';
import { type KeyStorage, keyStorage, type Profile } from '../../profiles/user-file.ts';
import { type Card, table } from '../../terminal/card/card.ts';
import type { Column, OutputOptions, View } from '../../terminal/index.ts';

interface Setting {
  readonly name: string;
  readonly value: string | null;
  readonly from: string | null;
}

const profileCard = (profile: string | null, settings: readonly Setting[]): Card => ({
  title: { text: profile ?? 'No profile', aside: 'profile' },
  sections: [
    table({
      columns: [
        { key: 'name', header: 'setting', priority: 100, minWidth: 20 },
        { key: 'value', priority: 90, minWidth: 20, lines: 4 },
        { key: 'from', priority: 80, minWidth: 18, lines: 6 },
      ] satisfies Column<Setting>[],
      rows: settings,
    }),
  ],
});

export type KeyKind = KeyStorage | 'environment';

/** The settings in effect. */
export interface ProfileView {
  readonly profile: string | null;
  readonly baseUrl: string | null;
  readonly accountId: string | null;
  readonly accountHeader: string;
  readonly insecure: boolean;
  readonly key: KeyKind | null;
  readonly sources: Readonly<Record<SettingName, Source | null>>;
  /** Values that others override. */
  readonly overridden: readonly Overridden[];
}

const SETTINGS = ['profile', 'baseUrl', 'accountId', 'accountHeader', 'insecure', 'key'] as const;
type SettingName = (typeof SETTINGS)[number];

export function keyKind(profile: Profile | undefined): KeyKind | null {
  return (profile && keyStorage(profile)) ?? null;
}

/** Returns the view of a resolution. `profile`: the saved profile that it uses. */
export function toProfileView(resolution: Resolution, profile: Profile | undefined): ProfileView {
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

const KEY_LABELS: Readonly<Record<KeyKind, string>> = {
  saved: '***, saved',
  command: '***, printed by apiKeyCommand',
  keyring: '***, in the system keyring',
  environment: '***',
};

const formatKey = ({ key }: ProfileView): string | null => (key === null ? null : KEY_LABELS[key]);

const LABELS: Readonly<Record<SettingName, string>> = {
  profile: 'profile',
  baseUrl: 'base URL',
  accountId: 'account',
  accountHeader: 'account header',
  insecure: 'plain http allowed',
  key: 'key',
};

const formatSettingSource = (view: ProfileView, key: SettingName): string | null => {
  const source = view.sources[key];
  return source === null ? null : formatSource(source);
};

/** Columns for programs: the values, then their sources. */
const columns: readonly Column<ProfileView>[] = [
  ...SETTINGS.map((key) => ({ key, value: (view: ProfileView) => view[key] })),
  ...SETTINGS.map((key) => ({
    key: `sources.${key}`,
    value: (view: ProfileView) => formatSettingSource(view, key),
  })),
];

/** Returns the rows of the card: the values with their sources. */
const toSettings = (view: ProfileView, home: string): readonly Setting[] =>
  SETTINGS.filter((key) => key !== 'insecure' || view.insecure).map((key) => {
    const value = view[key];
    const shown =
      typeof value === 'boolean' ? (value ? 'yes' : 'no') : key === 'key' ? formatKey(view) : value;
    const source = formatSettingSource(view, key);
    const from = source === null ? [] : [shortenPath(source, home), ...formatOverrides(view, key, home)];
    return { name: LABELS[key], value: shown, from: shown === null ? null : from.join(', ') || null };
  });

/** Returns the view of a profile, which is a card in a terminal. */
export const renderableProfile = <T extends ProfileView>(
  data: T,
  output: OutputOptions,
  home: string,
): View<T> => ({
  kind: 'item',
  data,
  output,
  columns,
  card: async (shown) => profileCard(shown.profile, toSettings(shown, home)),
});

const formatOverrides = ({ overridden }: ProfileView, key: SettingName, home: string): string[] =>
  overridden
    .filter(({ name }) => name === key)
    .map(
      ({ value, source }) =>
        `overrides ${value ?? 'the value'} from ${shortenPath(formatSource(source), home)}`,
    );

/** Abbreviates the home folder in a path as `~`. */
export const shortenPath = (path: string, home: string): string =>
  home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
