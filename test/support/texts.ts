/** Texts that terminals, tables and cards have found hard, for tests of how they are laid out. */
import fc from 'fast-check';
import { unicodeText } from './characters.ts';

/** Wide letters, letters of several parts, and letters that take no room at all. */
export const WIDE: readonly string[] = [
  '日本語のチェック、とても長い名前です',
  '한국어 점검 이름',
  '👩‍👩‍👧‍👦 家族 👨🏽‍🚀',
  '🇩🇪🇫🇷🏴󠁧󠁢󠁷󠁬󠁳󠁿 flags',
  'é cafe\u0301 Å a\u0300\u0316\u0301b',
  'नमस्ते दुनिया क्षि त्र',
  'กำแพงที่สูง',
  '1️⃣ ☎️ ♥ 🫠',
  'ﾊﾝｶｸｶﾅ ＡＢＣ',
];

/** What a server may send to drive a terminal or to deceive its reader. */
export const HOSTILE: readonly string[] = [
  '\x1b[31mred\x1b[0m \x1b]0;title\x07\x1b]8;;http://evil.test\x1b\\link\x1b]8;;\x1b\\',
  'over\rwritten\x08\x08 and\x07 \x9b2J gone',
  '\u202Edesrever\u202C \u2066x\u2069',
  'two\nlines\tand tabs\u2028there',
  '\ud800 half a letter',
  '\u200b\u200d\ufeff',
];

const PLAIN: readonly string[] = ['', ' ', 'short', 'b8f1c1de-0000-4000-8000-000000000001', 'x'.repeat(300)];

/** Any of them, and several of them behind each other. */
export const anyText = (): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof(fc.constantFrom(...WIDE, ...HOSTILE, ...PLAIN), unicodeText()), {
      maxLength: 6,
    })
    .map((parts) => parts.join(' '));
