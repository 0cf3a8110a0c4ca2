/** Assertions: every comparison, over one value, several and none. */
import { describe, expect, it } from 'vitest';
import { COMPARISONS } from '../../../src/contract/enumerations.ts';
import { evaluateAssertion } from '../../../src/runners/assertions/evaluate-assertions.ts';
import { incomplete } from '../../../src/runners/assertions/observed.ts';
import { selectFrom } from '../../../src/runners/assertions/subject.ts';
import type { JsonValue, Selection } from '../../../src/runners/core/assertion.ts';
import { one, verdict } from '../../support/assertions.ts';

describe('a comparison of one value', () => {
  it.each<[JsonValue, string, string, string]>([
    ['NOERROR', 'EQUALS', 'NOERROR', 'passes'],
    ['NOERROR', 'EQUALS', 'NXDOMAIN', 'SOURCE EQUALS "NXDOMAIN": was "NOERROR"'],
    ['NOERROR', 'NOT_EQUALS', 'NXDOMAIN', 'passes'],
    ['a', 'EQUALS', 'A', 'SOURCE EQUALS "A": was "a"'],
    [5, 'EQUALS', '5.0', 'passes'],
    [5, 'EQUALS', '', 'SOURCE EQUALS "": was 5'],
    [true, 'EQUALS', 'true', 'passes'],
    [null, 'EQUALS', 'null', 'passes'],
    [{ a: [1] }, 'EQUALS', '{"a": [1]}', 'passes'],
    [{ a: [1] }, 'EQUALS', 'not json', 'SOURCE EQUALS "not json": was {"a":[1]}'],
    [12.5, 'GREATER_THAN', '12.4', 'passes'],
    [12.5, 'GREATER_THAN', '12.5', 'SOURCE GREATER_THAN "12.5": was 12.5'],
    [12.5, 'LESS_THAN', '12.5', 'SOURCE LESS_THAN "12.5": was 12.5'],
    ['7', 'LESS_THAN', '10', 'passes'],
    [
      'seven',
      'LESS_THAN',
      '10',
      'SOURCE LESS_THAN "10": was "seven"; the value must be a number, not a string',
    ],
    ['', 'LESS_THAN', '10', 'SOURCE LESS_THAN "10": was ""; the value must be a number, not a string'],
    [5, 'LESS_THAN', 'ten', 'SOURCE LESS_THAN "ten": the target "ten" is not a number'],
    [5, 'LESS_THAN', '', 'SOURCE LESS_THAN "": the target "" is not a number'],
    ['v=spf1 -all', 'CONTAINS', '-all', 'passes'],
    ['v=spf1 -all', 'NOT_CONTAINS', '-all', 'SOURCE NOT_CONTAINS "-all": was "v=spf1 -all"'],
    [['a', 'b'], 'CONTAINS', 'b', 'passes'],
    [['ab'], 'CONTAINS', 'b', 'SOURCE CONTAINS "b": was ["ab"]'],
    [5, 'CONTAINS', '5', 'SOURCE CONTAINS "5": was 5; only strings and arrays can be searched, not a number'],
    [
      5,
      'NOT_CONTAINS',
      '6',
      'SOURCE NOT_CONTAINS "6": was 5; only strings and arrays can be searched, not a number',
    ],
    [{ a: 1 }, 'HAS_KEY', 'a', 'passes'],
    [{ a: 1 }, 'HAS_KEY', 'toString', 'SOURCE HAS_KEY "toString": was {"a":1}'],
    [{ a: 1 }, 'NOT_HAS_KEY', 'b', 'passes'],
    [['x'], 'HAS_KEY', '0', 'passes'],
    ['a', 'HAS_KEY', 'a', 'SOURCE HAS_KEY "a": was "a"; only objects and arrays have keys, not a string'],
    [{ a: 1 }, 'HAS_VALUE', '1', 'passes'],
    [['x', 2], 'HAS_VALUE', '2', 'passes'],
    [['x', 2], 'NOT_HAS_VALUE', '2', 'SOURCE NOT_HAS_VALUE "2": was ["x",2]'],
    [null, 'HAS_VALUE', '2', 'SOURCE HAS_VALUE "2": was null; only objects and arrays have values, not null'],
    ['', 'IS_EMPTY', '', 'passes'],
    [[], 'IS_EMPTY', '', 'passes'],
    [{}, 'IS_EMPTY', '', 'passes'],
    [null, 'IS_EMPTY', '', 'passes'],
    [0, 'IS_EMPTY', '', 'SOURCE IS_EMPTY: was 0'],
    ['x', 'NOT_EMPTY', '', 'passes'],
    ['', 'NOT_EMPTY', '', 'SOURCE NOT_EMPTY: was ""'],
    [null, 'IS_NULL', '', 'passes'],
    ['', 'IS_NULL', '', 'SOURCE IS_NULL: was ""'],
    ['', 'NOT_NULL', '', 'passes'],
    ['x', 'MATCHES', 'x', 'SOURCE MATCHES "x": unknown comparison MATCHES'],
    ['x', 'equals', 'x', 'SOURCE equals "x": unknown comparison equals'],
  ])('%j %s %j: %s', (value, comparison, target, expected) => {
    expect(verdict(comparison, target, one(value))).toBe(expected);
  });

  it('compares letters without their case where the source says so', () => {
    expect(verdict('EQUALS', 'nxdomain', { values: ['NXDOMAIN'], ignoreCase: true })).toBe('passes');
  });
});

describe('a comparison of several values', () => {
  const several: Selection = { values: ['192.0.2.1', '192.0.2.2', '198.51.100.3'] };

  it.each([
    ['CONTAINS', '192.0.2', 'the last one does not'],
    ['NOT_CONTAINS', '198.51', 'the last one does'],
    ['NOT_CONTAINS', '192.0.2.1', 'the first one does'],
    ['EQUALS', '192.0.2.1', 'only the first one is'],
    ['EQUALS', '198.51.100.3', 'only the last one is'],
    ['NOT_EQUALS', '192.0.2.2', 'the one in the middle is'],
  ])('fails %s %s, because %s', (comparison, target) => {
    expect(verdict(comparison, target, several)).toContain('was "192.0.2.1", "192.0.2.2", "198.51.100.3"');
  });

  it('passes when it holds for every one', () => {
    expect(verdict('CONTAINS', '.', several)).toBe('passes');
    expect(verdict('NOT_EQUALS', '203.0.113.9', several)).toBe('passes');
    expect(verdict('LESS_THAN', '301', { values: [300, 60] })).toBe('passes');
    expect(verdict('LESS_THAN', '300', { values: [60, 300] })).not.toBe('passes');
  });

  it('compares them as a set with a JSON array', () => {
    expect(verdict('EQUALS', '["192.0.2.2", "198.51.100.3", "192.0.2.1"]', several)).toBe('passes');
    expect(verdict('EQUALS', '["192.0.2.2", "192.0.2.1"]', several)).not.toBe('passes');
    expect(verdict('EQUALS', '["192.0.2.2", "192.0.2.1", "192.0.2.1"]', several)).not.toBe('passes');
    expect(verdict('NOT_EQUALS', '["192.0.2.2"]', several)).toBe('passes');
    expect(verdict('EQUALS', '[300, 60]', { values: [60, 300] })).toBe('passes');
    expect(verdict('EQUALS', '["a"]', one('["a"]'))).toBe('passes');
  });
});

describe('several values of which any is enough', () => {
  const cookies: Selection = {
    values: ['sid=1; Max-Age=60; Path=/', 'lang=de; Path=/shop; note=Path=/old', 'theme=dark'],
    isAnyOf: true,
  };

  it.each([
    ['EQUALS', '60', 'Max-Age=(\\d+)', true],
    ['EQUALS', 'lang', '^(\\w+)=', true],
    ['EQUALS', 'other', '^(\\w+)=', false],
    ['NOT_EQUALS', 'lang', '^(\\w+)=', false],
    ['NOT_EQUALS', 'other', '^(\\w+)=', true],
    ['NOT_CONTAINS', 'dark', 'theme=.*', false],
    ['CONTAINS', 'dark', 'theme=.*', true],
    ['GREATER_THAN', '59', 'Max-Age=(\\d+)', true],
    ['LESS_THAN', '60', 'Max-Age=(\\d+)', false],
    // All matches in one of the values.
    ['EQUALS', '/', 'Path=([/a-z]+)', true],
    ['EQUALS', '/shop', 'Path=([/a-z]+)', false],
    ['NOT_EMPTY', '', 'Path=/(\\w*)', false],
    ['NOT_EMPTY', '', 'missing', false],
    ['NOT_CONTAINS', 'x', 'missing', false],
    ['IS_EMPTY', '', 'missing', true],
    ['IS_EMPTY', '', 'theme', false],
  ])('%s %j with /%s/: %s', (comparison, target, regex, passes) => {
    expect(verdict(comparison, target, cookies, regex) === 'passes').toBe(passes);
  });

  it('name the values that none of them has', () => {
    expect(verdict('EQUALS', 'x', cookies, '^\\w+')).toBe('SOURCE EQUALS "x": was "sid", "lang", "theme"');
  });
});

describe('nothing to compare', () => {
  const nothing: Selection = { values: [], absence: '$.nope selects nothing' };
  it.each(COMPARISONS)('%s', (comparison) => {
    const holds = comparison === 'IS_EMPTY' || comparison === 'IS_NULL';
    const text = verdict(comparison, '1', nothing);
    if (holds) expect(text).toBe('passes');
    else expect(text).toMatch(/: \$\.nope selects nothing$/);
  });
});

describe('incomplete data', () => {
  const cut = selectFrom(incomplete('abc', 'the body was cut'), (text) => ({ values: [text] }));

  it.each(COMPARISONS)('satisfies no %s', (comparison) => {
    for (const target of ['abc', 'x', '', '1'])
      expect(evaluateAssertion({ source: 'TEXT_BODY', comparison, target }, cut)).toMatchObject({
        passed: false,
        message: expect.stringMatching(/: the body was cut$/),
      });
  });

  it('satisfies no regular expression either', () => {
    const assertion = { source: 'TEXT_BODY', comparison: 'NOT_CONTAINS', target: 'x', regex: 'b' };
    expect(evaluateAssertion(assertion, cut).passed).toBe(false);
  });
});

describe('EQUALS with an array', () => {
  it.each<[string, Selection, boolean]>([
    ['[[1],"a"]', { values: [[1], 'a'] }, false],
    ['[abc', { values: ['[abc'] }, true],
    ['["b"]', { values: ['a'] }, false],
    ['["a"]', { values: ['["a"]', 'b'] }, false],
    ['["a","b"]', { values: ['a', 'a'] }, false],
    ['["b","a"]', { values: ['a', 'b'] }, true],
    ['["a"]', { values: ['["a"]'] }, true],
  ])('%s of %j: %s', (target, selection, holds) => {
    expect(verdict('EQUALS', target, selection) === 'passes').toBe(holds);
  });
});

it.each([
  [[], 'an array'],
  [{}, 'an object'],
  [null, 'null'],
  [true, 'a boolean'],
])('%j has no order, because it is %s', (value, kind) => {
  expect(verdict('GREATER_THAN', '1', one(value))).toContain(`the value must be a number, not ${kind}`);
});
