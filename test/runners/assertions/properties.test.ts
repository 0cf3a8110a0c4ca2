/** Properties of all comparisons. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMPARISONS } from '../../../src/contract/enumerations.ts';
import { evaluateAssertion } from '../../../src/runners/assertions/evaluate-assertions.ts';
import { measured } from '../../../src/runners/assertions/subject.ts';
import type { JsonValue } from '../../../src/runners/core/assertion.ts';
import { toSubject } from '../../support/assertions.ts';

describe('whatever is compared', () => {
  const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
  const target = fc.oneof(
    fc.string(),
    fc.jsonValue().map((json) => JSON.stringify(json)),
    fc.double().map(String),
  );

  it('never throws, and says why whenever it does not pass', () => {
    const property = fc.property(
      fc.array(value, { maxLength: 3 }),
      fc.oneof(fc.constantFrom<string>(...COMPARISONS), fc.string()),
      target,
      fc.option(fc.string({ maxLength: 8 }), { nil: '', freq: 20 }),
      (values, comparison, text, regex) => {
        const result = evaluateAssertion(
          { source: 'SOURCE', comparison, target: text, regex },
          toSubject({ values }),
        );
        expect(result.message === '').toBe(result.passed);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });

  it('a NOT_ comparison of one value is the opposite, wherever the comparison can be made', () => {
    const pairs = [
      ['EQUALS', 'NOT_EQUALS'],
      ['HAS_KEY', 'NOT_HAS_KEY'],
      ['HAS_VALUE', 'NOT_HAS_VALUE'],
      ['IS_EMPTY', 'NOT_EMPTY'],
      ['CONTAINS', 'NOT_CONTAINS'],
      ['IS_NULL', 'NOT_NULL'],
    ] as const;
    const property = fc.property(
      value,
      fc.constantFrom(...pairs),
      target,
      (single, [plain, negated], text) => {
        const yes = evaluateAssertion({ source: 'S', comparison: plain, target: text }, measured(single));
        const no = evaluateAssertion({ source: 'S', comparison: negated, target: text }, measured(single));
        if (yes.message.includes('; only ')) expect([yes.passed, no.passed]).toEqual([false, false]);
        else expect(no.passed).toBe(!yes.passed);
      },
    );
    fc.assert(property, { numRuns: 1000 });
  });

  it('a comparison of several values never passes together with its opposite', () => {
    const property = fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), target, (values, text) => {
      for (const comparison of ['EQUALS', 'CONTAINS', 'HAS_KEY', 'HAS_VALUE']) {
        const yes = evaluateAssertion({ source: 'S', comparison, target: text }, toSubject({ values }));
        const no = evaluateAssertion(
          { source: 'S', comparison: `NOT_${comparison}`, target: text },
          toSubject({ values }),
        );
        expect(yes.passed && no.passed).toBe(false);
      }
    });
    fc.assert(property);
  });
});
