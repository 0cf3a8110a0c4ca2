/** Bodies drawn from the contract's schemas: every optional field set or not, and texts of every kind that YAML could mistake. */
import fc from 'fast-check';
import type { JsonSchema } from '../../src/contract/index.ts';
import { COLOR_PATTERN } from '../../src/contract/limits.ts';
import { unicodeText } from './characters.ts';

/** What YAML reads as something else, or writes in a way of its own. */
const TRICKY = [
  ...[
    '',
    ' ',
    '123',
    '1e3',
    '0x1F',
    '1_000',
    '.5',
    '-',
    '~',
    'null',
    'yes',
    'No',
    'on',
    'true',
    '<<',
    '=',
    '!x',
  ],
  ...[
    '2026-11-21',
    '12:30:45',
    '- a',
    '# no comment',
    'a: b',
    'a #b',
    '{',
    '[',
    '*a',
    '&a',
    '%',
    '@',
    '`',
    '|',
    '>',
  ],
  ...[
    "'",
    '"',
    '\\',
    '\\n',
    'two\nlines',
    'ends\n',
    '\n\nmany\n\n',
    '  leads',
    'trails  ',
    'a\tb',
    '\t',
    'a\r\nb',
  ],
  ...[
    '検索',
    'é',
    'e\u0301',
    '👩‍👩‍👧',
    '\u202eturned',
    '\u200b',
    '\u2028',
    '\ufeff',
    '\u0007',
    '\x1b[31m',
    '\x85',
    '---',
    '...',
  ],
  ...['x'.repeat(200), `${'word '.repeat(60)}end`],
];

const anyText = fc.oneof(
  fc.constantFrom(...TRICKY),
  // The store holds no NUL, and the service says so.
  unicodeText({ maxLength: 40 }).filter((text) => !text.includes('\0')),
);

/** By a field's path (`cards[].services[].id`): what its schema alone does not tell, such as what exists. */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Texts of a group's requests that a request can carry: the service refuses all others. */
export const SENDABLE: Known = {
  'apiCheckDefaults.url': fc.webUrl(),
  'apiCheckDefaults.headers[].key': fc.stringMatching(/^[A-Za-z][\w-]{0,12}$/),
  'apiCheckDefaults.headers[].value': fc.stringMatching(/^[ -~é]{0,20}$/),
};

/** Values that the schema allows. */
export function valuesFrom(schema: JsonSchema, known: Known = {}, path = ''): fc.Arbitrary<unknown> {
  const given = known[path];
  if (given) return given;
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? []].flat();
  return fc.oneof(...types.map((type) => valuesOfType(type, schema, known, path)));
}

/** Two bodies: of nothing in common, or the second differing from the first in one field alone. */
export function pairsOf(
  bodies: fc.Arbitrary<unknown>,
  schema: JsonSchema,
): fc.Arbitrary<readonly [object, object]> {
  const names = Object.keys(schema.properties ?? {});
  return fc.tuple(bodies, bodies, fc.option(fc.constantFrom(...names))).map(([one, other, name]) => {
    const [first, second] = [one as Record<string, unknown>, other as Record<string, unknown>];
    return [first, name !== null && name in second ? { ...first, [name]: second[name] } : second];
  });
}

function valuesOfType(type: string, schema: JsonSchema, known: Known, path: string): fc.Arbitrary<unknown> {
  const { minimum = 0, maximum = 1000 } = schema;
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fc.integer({ min: minimum, max: maximum });
    case 'array':
      return fc.array(valuesFrom(schema.items ?? {}, known, `${path}[]`), { maxLength: 3 });
    case 'object': {
      const fields = Object.entries(schema.properties ?? {});
      const model = Object.fromEntries(
        fields.map(([name, field]) => [
          name,
          valuesFrom(field, known, path === '' ? name : `${path}.${name}`),
        ]),
      );
      return fc.record(model, { requiredKeys: [...(schema.required ?? [])] });
    }
    case 'string':
      return textOf(schema);
    default:
      throw new Error(`no values of type ${type} at ${path}`);
  }
}

function textOf({ pattern, maxLength, minLength = 0 }: JsonSchema): fc.Arbitrary<string> {
  // The client sends colors in upper case, as deployments require.
  if (pattern === COLOR_PATTERN)
    return fc.stringMatching(new RegExp(pattern)).map((color) => color.toUpperCase());
  const matches = new RegExp(pattern ?? '', 'u');
  // fast-check does not support lookahead, so a filter removes the excluded texts.
  const drawn = pattern?.replace(/\(\?!(?:\(\?:[^)]*\)|[^()])*\)/g, '');
  if (drawn?.startsWith('^'))
    return fc.stringMatching(new RegExp(drawn, 'u')).filter((text) => matches.test(text));
  const fits = (text: string) =>
    text.length >= minLength && text.length <= (maxLength ?? text.length) && matches.test(text);
  return anyText.filter(fits);
}
