/** The fast parser of plain YAML reads what it reads exactly as the parser that knows positions. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseYamlDocument } from '../../../../src/cli/framework/lazy/yaml-document.ts';
import { parsePlainYaml } from '../../../../src/cli/manifest/files/parse-plain-yaml.ts';
import { runs } from '../../../support/sampled.ts';

const KEYS = ['a', 'b', 'name', 'x-y', 'null', 'true', 'no', 'A_1', '_', '__proto__'];
const VALUES = [
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

it('agrees with the other parser, or leaves the text to it', () => {
  let read = 0;
  fc.assert(
    fc.property(document, (text) => {
      const plain = parsePlainYaml(text);
      if (plain === undefined) return;
      read += 1;
      const { value: expected, problems } = parseYamlDocument(text);
      expect(problems).toEqual([]);
      expect(plain).toStrictEqual(expected);
    }),
    { numRuns: runs(20_000, 1_000_000) },
  );
  expect(read).toBeGreaterThan(100);
});

it('reads files as people write them', () => {
  const text = `project: shop
defaults:
  checks: { locations: [eu-west-1] } # everywhere
checks:
  - name: Home page (EU)
    checkType: URL
    request:
      url: https://shop.test/search?q=a&b=c
      assertions:
        - { source: STATUS_CODE, comparison: EQUALS, target: "200" }
    tags: [shop, edge]
    frequency: 5
`;
  expect(parsePlainYaml(text)).toEqual(parseYamlDocument(text).value);
});
