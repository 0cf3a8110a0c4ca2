/** Foreign text must neither drive a terminal nor deceive its reader. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLine, withoutPiles } from '../../src/base/sanitize.ts';
import { sanitizeBlock, sanitizeLine, toJson } from '../../src/terminal/index.ts';
import { character } from '../support/characters.ts';

const CORPUS: readonly [what: string, given: string, line: string][] = [
  ['a colour', '\x1b[31mred\x1b[0m', 'red'],
  ['a colour in 8 bits', '\x9b31mred\x9b0m', 'red'],
  ['a cleared screen', 'a\x1b[2J\x1b[Hb', 'ab'],
  ['private and intermediate parameters', 'a\x1b[?1049h\x1b[1 q\x1b[>4;2mb', 'ab'],
  ['a reset', 'a\x1bcb', 'ab'],
  ['a character set', 'a\x1b(0b', 'ab'],
  ['a window title', 'a\x1b]0;owned\x07b', 'ab'],
  ['a title closed by ST', 'a\x1b]0;owned\x1b\\b', 'ab'],
  ['a title in 8 bits', 'a\x9d0;owned\x9cb', 'ab'],
  ['a hyperlink', '\x1b]8;;https://evil.example\x07text\x1b]8;;\x07', 'text'],
  ['a clipboard write', 'a\x1b]52;c;ZXZpbA==\x07b', 'ab'],
  ['a device control string', 'a\x1bP$q"p\x1b\\b', 'ab'],
  ['APC, PM and SOS', 'a\x1b_x\x1b\\\x1b^y\x1b\\\x1bXz\x1b\\b', 'ab'],
  ['a sequence left open, which must not hide what follows', 'a\x1b]0;visible', 'a0;visible'],
  ['an open sequence before a line break', 'a\x1b]0;x\nshown\x07', 'a0;x shown'],
  ['a cut CSI', 'a\x1b[', 'a'],
  ['sequences nested to survive one pass', '\x1b\x1b[31m[31mx', '[31mx'],
  ['a bell, a backspace, a NUL, DEL', 'a\x07\x08\x00\x7fb', 'ab'],
  ['a carriage return that overwrites', 'safe\revil', 'safe evil'],
  ['tabs and line breaks', 'a\tb\nc\r\nd', 'a b c d'],
  ['line and paragraph separators, NEL', 'a\u2028b\u2029c\x85d', 'a b c d'],
  ['bidirectional overrides', 'a\u202eb\u202cc\u2066d\u2069e', 'abcde'],
  ['bidirectional marks', 'a\u200eb\u200fc\u061cd', 'abcd'],
  ['lone surrogates', 'a\ud800b\udc00', 'a\ufffdb\ufffd'],
  ['whole surrogate pairs, joiners and accents, which stay', '🚀 👩‍👩‍👧 é 日本', '🚀 👩‍👩‍👧 é 日本'],
];

const HARMFUL = /(?!\n)\p{Cc}|\p{Surrogate}|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'\x1b[]P\\_;?0mJ \x07\x9b\x9d\x9c\r\n\t\u202e\ud83d\ude00'.split('')),
    character,
  ),
  maxLength: 40,
});

describe('sanitising a line', () => {
  it.each(CORPUS)('takes out %s', (_what, given, line) => {
    expect(sanitizeLine(given)).toBe(line);
  });

  it('leaves nothing harmful of any text, and changes nothing the second time', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const clean = sanitizeLine(text);
        expect(clean).not.toMatch(HARMFUL);
        expect(clean).not.toContain('\n');
        expect(sanitizeLine(clean)).toBe(clean);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['\x1b]', '\x9d', '\x9b', '\x1b[', '\x1bP\t'])(
    'takes a megabyte of open sequences (%j) in its stride',
    (open) => {
      expect(sanitizeLine(open.repeat(500_000)).trim()).toBe('');
    },
  );
});

describe('sanitising a block', () => {
  it('keeps line breaks and tabs and turns every kind of break into one, and separators into spaces', () => {
    expect(sanitizeBlock('a\r\nb\rc\n\td\u2028e\x85f\x1b[31mg')).toBe('a\nb\nc\n\td e\nfg');
  });

  it('leaves nothing harmful of any text', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(sanitizeBlock(text).replaceAll('\t', '')).not.toMatch(HARMFUL);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('JSON', () => {
  it('escapes what sanitising would take out and parses to what it was', () => {
    fc.assert(
      fc.property(nasty, nasty, (key, text) => {
        const value = JSON.parse(JSON.stringify({ [`k${key}`]: text }));
        const json = toJson(value);
        expect(json).not.toMatch(HARMFUL);
        expect(json).not.toContain('\n');
        expect(JSON.parse(json)).toEqual(value);
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps every field, in order, whatever it is called', () => {
    const body = '{"z":1,"a":{"__proto__":{"x":null}},"constructor":[],"toJSON":"no"}';
    expect(toJson(JSON.parse(body))).toBe(body);
  });
});

describe('piles of marks, and of letters without a width', () => {
  it.each([
    ['accents', 'e\u0301\u0323', undefined],
    ['Tibetan', 'ཧྐྵྨླྺྼྻྂ', undefined],
    ['Persian, with its joiner', 'می\u200cخواهم', undefined],
    ['a family', '👩\u200d👩\u200d👧\u200d👦', undefined],
    ['a megabyte of ASCII', 'x'.repeat(1_000_000), undefined],
    ['nine marks', `Z${'\u0335'.repeat(9)}`, `Z${'\u0335'.repeat(8)}`],
    ['thousands', `Z${'\u0335\u0301'.repeat(50_000)}a`, `Z${'\u0335\u0301'.repeat(4)}a`],
    ['hidden letters', `a${'\u200b\ufeff'.repeat(50_000)}b`, `a${'\u200b\ufeff'.repeat(2)}b`],
  ])('are bounded, and no script is: %s', (_what, text, expected = text) => {
    expect(withoutPiles(text)).toBe(expected);
    expect(withoutPiles(expected)).toBe(expected);
  });
});

describe('one line', () => {
  it.each([
    [' a \n\n b\tc ', undefined, 'a b c'],
    ['red \x1b[31mtext\u0000', undefined, 'red text'],
    ['in\u202evoice', undefined, 'invoice'],
    ['half \ud83d', undefined, 'half \ufffd'],
    ['12345', 5, '12345'],
    ['123456', 5, '1234…'],
    ['👍👍👍', 3, '👍👍👍'],
    ['👍👍👍👍', 3, '👍👍…'],
    ['\uffff', undefined, ''],
  ])('of %j with at most %s characters is %j', (text, maxLength, expected) => {
    expect(oneLine(text, maxLength)).toBe(expected);
  });
});
