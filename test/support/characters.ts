/** Any character of Unicode. fast-check's own units list a million of them, for a second or two in each process. */
import fc from 'fast-check';

const point = (min: number, max: number) => fc.integer({ min, max });

/** One code point that is no surrogate. Plain and joining ones are frequent. */
export const character: fc.Arbitrary<string> = fc
  .oneof(
    point(0x20, 0x7e),
    point(0x300, 0x36f),
    point(0, 0xd7ff),
    point(0xe000, 0xffff),
    point(0x10000, 0x10ffff),
  )
  .map(
    (code) => String.fromCodePoint(code),
    (text) => {
      const code = typeof text === 'string' ? text.codePointAt(0) : undefined;
      if (code === undefined || text !== String.fromCodePoint(code)) throw new Error('no single character');
      return code;
    },
  );

/** Text of such characters. */
export const unicodeText = (limits: { readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ unit: character, ...limits });
