/** Tracks the sources of values and their precedence. */
import type { Environment } from './folders.ts';

/** The source of a value. */
export type Source =
  | { readonly from: 'flag' | 'environment'; readonly name: string }
  | { readonly from: 'project file' | 'user file'; readonly path: string }
  | { readonly from: 'default' };

/** The sources of the values that are set. */
export interface Sources {
  readonly profileName?: Source;
  readonly baseUrl?: Source;
  readonly apiKey?: Source;
  readonly accountId?: Source;
  readonly accountHeader: Source;
  readonly insecure: Source;
}

/** A value with its source. */
export interface SourcedValue {
  readonly value: string;
  readonly source: Source;
}

/** A value that is set but not used, since another takes precedence. */
export interface Overridden {
  readonly name: 'profile' | 'baseUrl' | 'accountId' | 'accountHeader' | 'key';
  /** Null for a key. */
  readonly value: string | null;
  readonly source: Source;
}

/** Returns the values of a flag and a variable, in order of precedence. An empty variable counts as unset. */
export function readFlagAndVariable(
  typed: string | undefined,
  flag: string,
  env: Environment,
  variable: string,
): readonly SourcedValue[] {
  const value = env[variable] || undefined;
  return [
    ...(typed === undefined ? [] : [{ value: typed, source: { from: 'flag', name: flag } } as const]),
    ...(value === undefined ? [] : [{ value, source: { from: 'environment', name: variable } } as const]),
  ];
}

/**
 * Returns the values that the first one overrides. It omits equal values, and returns none for a flag, since the user
 * typed it.
 */
export function listOverridden(
  [first, ...others]: readonly SourcedValue[],
  name: Overridden['name'],
): readonly Overridden[] {
  if (first === undefined || first.source.from === 'flag') return [];
  return others
    .filter(({ value }) => value !== first.value)
    .map(({ value, source }) => ({ name, value, source }));
}

/** Formats a source for messages: `--base-url`, `SONDE_BASE_URL`, or the path of a file. */
export function formatSource(source: Source): string {
  if (source.from === 'default') return 'the default';
  return 'name' in source ? source.name : source.path;
}
