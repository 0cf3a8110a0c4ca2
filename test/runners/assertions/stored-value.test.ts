/** The value of an assertion that a result stores and shows: its bounds, and its secrets. */
import { describe, expect, it } from 'vitest';
import { COMPARISONS } from '../../../src/contract/enumerations.ts';
import { evaluateAssertion, type Mask } from '../../../src/runners/assertions/evaluate-assertions.ts';
import { selectJsonPath } from '../../../src/runners/assertions/jsonpath.ts';
import { measured } from '../../../src/runners/assertions/subject.ts';
import type { JsonValue, Selection } from '../../../src/runners/core/assertion.ts';
import { createScrubber } from '../../../src/runners/masking/scrub.ts';
import { one, toSubject, verdict } from '../../support/assertions.ts';

const stored = (selection: Selection, mask?: Mask): JsonValue =>
  evaluateAssertion({ source: 'JSON_BODY', comparison: 'NOT_NULL' }, toSubject(selection), mask).actual;

describe('a stored value', () => {
  const object = (length: number): JsonValue => ({ a: 'x'.repeat(length - '{"a":""}'.length) });

  it.each<[string, Selection, JsonValue]>([
    ['nothing as null', { values: [] }, null],
    ['null', one(null), null],
    ['a number', one(5), 5],
    ['false', one(false), false],
    ['one value alone', one('a'), 'a'],
    ['several values as an array', { values: ['a', 5] }, ['a', 5]],
    ['a text of 4,096 characters whole', one('x'.repeat(4096)), 'x'.repeat(4096)],
    ['a longer text in part', one('x'.repeat(4097)), `${'x'.repeat(4096)}…`],
    ['an object of 4,096 characters as JSON', one(object(4096)), object(4096)],
    [
      'a longer object as a part of its text',
      one(object(4097)),
      `${JSON.stringify(object(4097)).slice(0, 4096)}…`,
    ],
  ])('is %s', (_name, selection, expected) => {
    expect(stored(selection)).toEqual(expected);
  });

  it('of more than twenty levels is its text', () => {
    const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(stored(one(JSON.parse(nested(20))))).toEqual(JSON.parse(nested(20)));
    expect(stored(one(JSON.parse(nested(21))))).toBe(nested(21));
  });

  it('is quoted with at most 200 characters in a message', () => {
    expect(verdict('EQUALS', '', one('x'.repeat(198)))).toMatch(/x"$/);
    expect(verdict('EQUALS', '', one('x'.repeat(199)))).toMatch(/x…$/);
  });
});

describe('the mask of secrets', () => {
  const scrub = createScrubber(['secret-value']);

  it('applies before a value is cut', () => {
    expect(stored(one(`${'x'.repeat(4090)}secret-value`), scrub)).toBe(`${'x'.repeat(4090)}***`);
  });

  it('reads only the part of a long text that may be stored', () => {
    const lengths: number[] = [];
    const mask: Mask = (value) => {
      lengths.push(String(value).length);
      return value;
    };
    stored(one('x'.repeat(1_000_000)), mask);
    expect(lengths).toEqual([4096 + 65_536]);
  });

  it('fails as a whole where it is broken', () => {
    const broken: Mask = () => {
      throw new TypeError('broken');
    };
    expect(() => stored(one('x'), broken)).toThrow('broken');
  });

  it.each(COMPARISONS)('never throws for a value of 9,000 levels under %s', (comparison) => {
    const deep = JSON.parse(`${'['.repeat(9000)}"secret-value"${']'.repeat(9000)}`) as JsonValue;
    const assertion = { source: 'JSON_BODY', comparison, target: '1' };
    const result = evaluateAssertion(assertion, measured(deep), scrub);
    expect(result.passed).toBe(result.message === '');
    expect(JSON.stringify(result)).not.toContain('secret-value');
  });
});

describe('a document of a hundred thousand levels', () => {
  const text = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  const deep = JSON.parse(text) as JsonValue;

  it.each([...COMPARISONS])('can be compared by %s, and never throws', (comparison) => {
    expect(typeof verdict(comparison, '{"a": 1}', one(deep))).toBe('string');
  });

  it.each<[string, JsonValue]>([
    ['EQUALS', deep],
    ['NOT_EQUALS', deep],
    ['HAS_VALUE', [deep]],
    ['NOT_HAS_VALUE', [deep]],
  ])('fails %s with its own text', (comparison, value) => {
    expect(verdict(comparison, text, one(value))).toMatch(/: the value is nested too deeply$/);
  });

  it('fails a regular expression', () => {
    expect(verdict('EQUALS', 'x', one(deep), 'a')).toBe('SOURCE EQUALS "x": the value is nested too deeply');
  });

  it('fails, and is shown in words', () => {
    expect(verdict('EQUALS', '{"a": 1}', one(deep))).toMatch(/nested too deeply/);
    expect(selectJsonPath(deep, '$..a').unusable).toBe('the JSONPath $..a descends more than 500 levels');
    expect(selectJsonPath(deep, '$.a.a').values).toHaveLength(1);
  });
});
