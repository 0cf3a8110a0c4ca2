/** Evaluates an assertion in a test. */

import { evaluateAssertion } from '../../src/runners/assertions/evaluate-assertions.ts';
import { complete } from '../../src/runners/assertions/observed.ts';
import { selectFrom } from '../../src/runners/assertions/subject.ts';
import type { JsonValue, Selection } from '../../src/runners/core/assertion.ts';

export const toSubject = (selection: Selection) => selectFrom(complete(selection), (one) => one);

/** Returns `passes`, or the message of the failure. */
export function verdict(comparison: string, target: string, selection: Selection, regex = ''): string {
  const result = evaluateAssertion({ source: 'SOURCE', comparison, target, regex }, toSubject(selection));
  return result.passed ? 'passes' : result.message;
}

export const one = (value: JsonValue): Selection => ({ values: [value] });
