/** The words of assertions: what a check states, what a runner hands over to be judged, and the judgement. */
import type { COMPARISONS } from '../../contract/enumerations.ts';

/** The comparisons an assertion may name. */
export type Comparison = (typeof COMPARISONS)[number];

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** One statement about an answer, as the check holds it. */
export interface Assertion {
  readonly source: string;
  /** A JSONPath, a header's name: which part of the source; empty means all of it. */
  readonly property?: string | null;
  readonly comparison: string;
  readonly target?: string | null;
  /** Where given, what is compared is what this captures. */
  readonly regex?: string | null;
}

/** What an assertion's source yielded. */
export interface Subject {
  /** The values that were selected, in order. None means that nothing is there, not even null. */
  readonly values: readonly JsonValue[];
  /** By index of `values`: the text of an integer that is too large for JavaScript to hold exactly. */
  readonly largeIntegers?: ReadonlyMap<number, string>;
  /** Why there may be none, as a sentence without a full stop. */
  readonly absence?: string;
  /** True where letters compare without their case (response codes). */
  readonly ignoreCase?: boolean;
  /** True where runs of tabs compare as one space (tables in plain text). */
  readonly looseTabs?: boolean;
  /** Where the text is a list of records: for each, the ways in which a target's line may write it. */
  readonly records?: readonly RecordForms[];
  /** Why the assertion itself cannot be used (a broken JSONPath, an unknown source): nothing the target answers can repair it. */
  readonly unusable?: string;
}

/** How one record may be written in the target of EQUALS. */
export interface RecordForms {
  readonly forms: readonly string[];
  /** True where the forms compare without the case of letters, as names and addresses do. */
  readonly ignoreCase: boolean;
}

/** One assertion and what became of it, as it is stored with the result. */
export interface AssertionResult {
  readonly source: string;
  readonly property: string;
  readonly comparison: string;
  readonly target: string;
  readonly regex: string;
  /** The value that was compared; an array where there were several, null where there was none. */
  readonly actual: JsonValue;
  readonly passed: boolean;
  /** False where the assertion itself is unusable, so that `shouldFail` must not make a pass of its failure. */
  readonly judged: boolean;
  /** Why it failed; empty where it passed. */
  readonly message: string;
}
