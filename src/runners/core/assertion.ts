/** Defines assertions, their subjects and their results. */
import type { COMPARISONS } from '../../contract/enumerations.ts';

/** The comparisons of assertions. */
export type Comparison = (typeof COMPARISONS)[number];

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** An assertion of a check. */
export interface Assertion {
  readonly source: string;
  /** A JSONPath or a header name that selects a part of the source; empty selects all of it. */
  readonly property?: string | null;
  readonly comparison: string;
  readonly target?: string | null;
  /** If set, its captures are compared instead of the value. */
  readonly regex?: string | null;
}

/** The values that are selected for an assertion. */
export interface Selection {
  /** The selected values, in order. An empty list means that nothing exists, not even null. */
  readonly values: readonly JsonValue[];
  /** The text of integers beyond JavaScript's safe range, by index of `values`. */
  readonly largeIntegers?: ReadonlyMap<number, string>;
  /** Why there are no values, as a sentence without a full stop. */
  readonly absence?: string;
  /** True if a positive comparison holds if any value satisfies it; a negative one must hold for every value. */
  readonly isAnyOf?: boolean;
  /** The group of each of `values`: with isAnyOf, all values of one group must satisfy a positive comparison. */
  readonly groups?: readonly number[];
  /** True if texts compare case-insensitively (response codes). */
  readonly ignoreCase?: boolean;
  /** How texts compare; default: exactly. */
  readonly texts?: TextRules;
  /** Why no comparison is possible: the assertion is invalid (a malformed JSONPath), or its data is incomplete. */
  readonly unusable?: string;
}

/** How texts compare in a source that has several spellings of the same text. */
export interface TextRules {
  equals(value: string, target: string): boolean;
  contains(value: string, target: string): boolean;
  /** Returns the spellings that a regular expression searches: the first in which it matches counts. */
  readonly renderings?: (value: string) => readonly string[];
  /** True if regular expressions ignore the case. */
  readonly ignoreCase?: boolean;
}

/** An assertion and its outcome, as stored with the result. */
export interface AssertionResult {
  readonly source: string;
  readonly property: string;
  readonly comparison: string;
  readonly target: string;
  readonly regex: string;
  /** The compared value; an array of several, null for none. */
  readonly actual: JsonValue;
  readonly passed: boolean;
  /** The failure message; empty if it passed. */
  readonly message: string;
}
