/** Files are read fast, with the same result as by the parser that knows positions. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseYamlDocument } from '../../../../src/cli/framework/lazy/yaml-document.ts';
import { parseSource } from '../../../../src/cli/manifest/files/source.ts';
import { runs } from '../../../support/sampled.ts';

const KEYS = [
  'a',
  '"null"',
  '~',
  '+.5',
  '[a]',
  'b',
  'name',
  'x-y',
  'null',
  'true',
  'no',
  'A_1',
  '_',
  '__proto__',
];
const VALUES = [
  ...[
    '1_000',
    '0b11',
    '+.5',
    '-.5',
    '.5',
    '+1',
    '"null": 1',
    '[1_0]',
    '{ +.5: a }',
    '{ "a": 1 }',
    '? a',
    '~: a',
  ],
  ...[
    '',
    'a',
    '1',
    '1.5',
    'true',
    'null',
    '-1',
    '0',
    '-0',
    '007',
    '1e3',
    '0x1f',
    '1.',
    'yes',
    'Null',
    'NaN',
    '<<',
  ],
  ...['2026-01-01', '2026-01-01T00:00:00Z', '1:20', '12345678901234567890', 'eu-west-1', 'http://x.y/z?q=1'],
  ...['"a b"', "'it s'", '"#x: y"', '"x" y', "'a", '"a\\n"', 'é', 'a#b', 'a # b', 'x:y', 'x: y', 'a:', ':a'],
  ...[
    '[1, 2]',
    '[ ]',
    '[a: b]',
    '[a,]',
    '[,]',
    '[a',
    '{a: 1, b: x}',
    '{}',
    '{a: }',
    '{a: 1,}',
    '{ a: "b" }',
    '{ a: [b, 1] }',
    '{ a: [b }',
  ],
  ...['a,b', 'a, b', 'a (b)', 'a) b', 'a  b', '- x', '|', '>-', '*a', '&a b', '!t', '@a', '%d', '? q'],
];
const value = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(...VALUES),
  },
  fc.stringMatching(/^[A-Za-z/"'[\]{}:, #\t-]{0,8}$/),
);
const line = fc
  .tuple(
    fc.constantFrom('', '- '),
    fc.option(fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(': ', ':', ' : ')), { freq: 6 }),
    value,
    fc.constantFrom('', '', '', ' # c', ' '),
  )
  .map(([dash, key, text, end]) => `${dash}${key?.join('') ?? ''}${text}${end}`);
/** Lines whose indentation grows and shrinks. */
const document = fc
  .array(fc.tuple(fc.constantFrom(0, 0, 2, 2, 4, -2, -2, 1), line), { minLength: 1, maxLength: 9 })
  .map((lines) => {
    let indent = 0;
    return lines
      .map(([change, text]) => {
        indent = Math.max(0, Math.min(8, indent + change));
        return `${' '.repeat(indent)}${text}`;
      })
      .join('\n');
  });

it('reads every valid text as the parser that knows positions', () => {
  let read = 0;
  fc.assert(
    fc.property(document, (lines) => {
      const text = `project: shop\n${lines}`;
      const { value: expected, problems } = parseYamlDocument(text);
      if (problems.length > 0) return;
      read += 1;
      expect(parseSource('a.yaml', text, () => {})?.value).toStrictEqual(expected);
    }),
    { numRuns: runs(5000, 30_000) },
  );
  expect(read).toBeGreaterThan(100);
});
