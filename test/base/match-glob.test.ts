/** Globs match as their regular expressions do, and in bounded time. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { matchGlob } from '../../src/base/match-glob.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '-', '.'), maxLength: 8 });
/** Parts of globs, with the regular expression of each. */
const PARTS: Readonly<Record<string, string>> = {
  ...{ a: 'a', B: 'B', '.': '\\.', '*': '.*', '?': '.', '[ab]': '[ab]', '[a-c]': '[a-c]', '[!a]': '[^a]' },
};
const parts = fc.array(fc.constantFrom(...Object.keys(PARTS)), { maxLength: 8 });

it('matches what the regular expression of the glob matches', () => {
  fc.assert(
    fc.property(parts, text, (glob, name) => {
      const expression = new RegExp(`^${glob.map((part) => PARTS[part]).join('')}$`, 'i');
      expect(matchGlob(glob.join(''), name)).toBe(expression.test(name));
    }),
  );
});

it('takes any text as a glob, and ends soon with one that has many stars', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (pattern, name) => typeof matchGlob(pattern, name) === 'boolean'),
  );
  expect(matchGlob(`${'*a'.repeat(100)}b`, 'a'.repeat(200))).toBe(false);
});
