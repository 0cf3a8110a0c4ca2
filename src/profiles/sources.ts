/** Where values come from, and which of several holds. */
import type { Environment } from './folders.ts';

/** Where a value came from. */
export type Source =
  | { readonly from: 'flag' | 'environment'; readonly name: string }
  | { readonly from: 'project file' | 'user file'; readonly path: string }
  | { readonly from: 'default' };

/** A value with its source. */
export interface SourcedValue {
  readonly value: string;
  readonly source: Source;
}

/** A value that is there and does not hold, since another goes before it. */
export interface Overridden {
  readonly name: 'profile' | 'baseUrl' | 'accountId' | 'key';
  /** Null for a key. */
  readonly value: string | null;
  readonly source: Source;
}

/** What a flag and a variable say, in the order in which they hold; an empty variable counts as unset. */
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
 * What the first of these went before, where somebody may wonder why it holds: who types a flag knows, and of equal values
 * it makes no difference.
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

/** A source as a message names it: `--base-url`, `SONDE_BASE_URL`, or the path of a file. */
export function formatSource(source: Source): string {
  if (source.from === 'default') return 'the default';
  return 'name' in source ? source.name : source.path;
}
