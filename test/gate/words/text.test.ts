/** Texts of results in one line: separators of Unicode are part of it. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseErrorBody } from '../../../src/client/error-body.ts';
import { firstLine } from '../../../src/gate/words/text.ts';

const word = fc.stringMatching(/^[a-z]{1,6}$/);

it('is not cut at U+2028 and U+2029', () => {
  fc.assert(
    fc.property(word, fc.constantFrom('\u2028', '\u2029'), word, (a, separator, b) => {
      const text = `${a}${separator}${b}`;
      expect(firstLine(`${text}\nmore`)).toBe(`${a} ${b}`);
      expect(parseErrorBody(text)).toMatchObject({ message: `${a} ${b}`, details: [] });
    }),
  );
});
