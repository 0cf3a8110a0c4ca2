/** The regular expression of an assertion: what it captures, and its bounds. */
import { describe, expect, it } from 'vitest';
import { one, verdict } from '../../support/assertions.ts';

describe('a regular expression', () => {
  const lines = one('a.test. 60 IN A 192.0.2.1\nb.test. 600 IN A 192.0.2.2');

  it('compares what its first group captures, in every match', () => {
    expect(verdict('LESS_THAN', '601', lines, ' (\\d+) IN')).toBe('passes');
    expect(verdict('LESS_THAN', '600', lines, ' (\\d+) IN')).toBe('SOURCE LESS_THAN "600": was "60", "600"');
    expect(verdict('EQUALS', '["a", "b"]', lines, '^(\\w)\\.')).toBe('passes');
    expect(verdict('CONTAINS', '192.0.2', lines, '[\\d.]+$')).toBe('passes');
  });

  it('that matches nothing leaves nothing to compare', () => {
    expect(verdict('NOT_CONTAINS', 'x', lines, 'MX')).toBe(
      'SOURCE NOT_CONTAINS "x": the regular expression /MX/ matches nothing',
    );
    expect(verdict('IS_NULL', '', lines, 'MX')).toBe('passes');
  });

  it('that is broken makes the assertion unusable', () => {
    expect(verdict('EQUALS', 'x', lines, '(')).toMatch(/: .*Invalid regular expression/);
  });

  it('does not backtrack', () => {
    expect(verdict('IS_EMPTY', '', one(`${'a'.repeat(60)}b`), '(a+)+$')).toBe('passes');
  });

  it('that looks ahead and would never end is stopped', () => {
    expect(verdict('EQUALS', 'x', one(`${'a'.repeat(60)}b`), '(?=(a+)+$)a')).toMatch(
      /: .*the regular expression .* took longer than 500 ms$/,
    );
  });

  it.each([
    ['220 mail ESMTP\r\nready\r\n', '^220 (.*)$', 'mail ESMTP'],
    ['a\r\nb', '(a\\r)', 'a\r'],
    ['price: 12', '(?<amount>\\d+)', '12'],
    ['aab', '(a)(?!a)', 'a'],
    ['abab', '(ab)\\1', 'ab'],
    ['caf\uFFFD', 'caf(.)', '\uFFFD'],
  ])('searches %j for %s', (text, pattern, captured) => {
    expect(verdict('EQUALS', captured, one(text), pattern)).toBe('passes');
  });
});
it('a capture compares with its case', () => {
  expect(verdict('EQUALS', 'B', one('AbC'), '(b)')).toBe('SOURCE EQUALS "B": was "b"');
  expect(verdict('NOT_NULL', '', one('abc'), 'B')).toContain('matches nothing');
});
it('where any value is enough, all captures of one value must satisfy a comparison', () => {
  const lines = { values: ['a=1; b=2', 'c=2'], isAnyOf: true };
  expect(verdict('EQUALS', '2', lines, '=(\\d)')).toBe('passes');
  expect(verdict('EQUALS', '1', lines, '=(\\d)')).not.toBe('passes');
  expect(verdict('EQUALS', '2', { values: ['a=1', 'c=2'] }, '=(\\d)')).not.toBe('passes');
});

describe('a bound', () => {
  it('of a regular expression is 1,000 characters', () => {
    expect(verdict('EQUALS', 'x', one('a'.repeat(1000)), 'a'.repeat(1000))).toContain('was "aaa');
    expect(verdict('EQUALS', 'x', one('a'), 'a'.repeat(1001))).toContain('is longer than 1000 characters');
  });

  it('of a searched value is 262,144 characters, for each value', () => {
    const long = 'a'.repeat(262_144);
    expect(verdict('EQUALS', 'b', { values: ['b', `${long}b`] }, 'b')).toContain('is longer than 262144');
    expect(verdict('NOT_CONTAINS', 'x', one(long), 'a$')).toBe('passes');
  });

  it('of matches is 9,999', () => {
    expect(verdict('EQUALS', 'a', one('a'.repeat(9999)), 'a')).toBe('passes');
    expect(verdict('EQUALS', 'a', one('a'.repeat(10_000)), 'a')).toContain('matches more than 10000 times');
  });
});
