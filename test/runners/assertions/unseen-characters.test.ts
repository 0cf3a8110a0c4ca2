/** Messages about values with characters that nobody sees: a difference is always visible. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { one, verdict } from '../../support/assertions.ts';

const UNSEEN = [
  '\0',
  '\u0001',
  '\u001b',
  '\u007f',
  '\u0085',
  '\r',
  '\u2028',
  '\u2029',
  '\u202e',
  '\u200b',
  '\ufeff',
  '\u00ad',
];
const SPACES = ['\t', '\n', '\u00a0', '\u2003'];

it.each([
  ['A\u0001B', 'zz', 'SOURCE EQUALS "zz": was "A\\u0001B"'],
  ['A\u2028B', 'zz', 'SOURCE EQUALS "zz": was "A\\u2028B"'],
  ['A\u0001B', 'AB', 'SOURCE EQUALS "AB": was "A\\u0001B"'],
  ['A\tB', 'A B', 'SOURCE EQUALS "A B": was "A\\tB"'],
  ['A\u00a0B', 'A\tB', 'SOURCE EQUALS "A B": was "A\\u00a0B"'],
  ['A B', 'A\u00a0B', 'SOURCE EQUALS "A\\u00a0B": was "A B"'],
  ['A B', 'A\tB', 'SOURCE EQUALS "A\\tB": was "A B"'],
  ['A\tB', 'zz', 'SOURCE EQUALS "zz": was "A B"'],
  ['👩‍👧', 'zz', 'SOURCE EQUALS "zz": was "👩‍👧"'],
])('%j instead of %j reads %s', (value, target, expected) => {
  expect(verdict('EQUALS', target, one(value))).toBe(expected);
});

it('shows two values that differ in different ways, on one line', () => {
  const text = fc.string({ unit: fc.constantFrom('A', ' ', ...UNSEEN, ...SPACES), maxLength: 6 });
  fc.assert(
    fc.property(text, text, (value, target) => {
      fc.pre(value !== target);
      const message = verdict('EQUALS', target, one(value));
      expect(message).not.toMatch(/[\p{Cc}\u200b\u202e\ufeff\u2028\u2029\u00ad]/u);
      const [, wanted, seen] = /^SOURCE EQUALS (".*"): was (".*")$/.exec(message) ?? [];
      expect(seen?.replace(/\p{Zs}/gu, ' ')).not.toBe(wanted?.replace(/\p{Zs}/gu, ' '));
    }),
  );
});
