/** Holds a schema against the words of a table's cell: type, default and bounds. */
import { expect } from 'vitest';
import type { JsonSchema } from '../../../src/contract/endpoint.ts';

/** TypeBox's values are JSON Schema; its types say less. */
export const asJson = (schema: unknown): JsonSchema => JSON.parse(JSON.stringify(schema)) as JsonSchema;

/** The schema at `a.b.c`, or undefined. */
export function fieldAt(schema: JsonSchema, path: string): JsonSchema | undefined {
  return path
    .split('.')
    .reduce<JsonSchema | undefined>((here, name) => (here?.items ?? here)?.properties?.[name], schema);
}

const SIMPLE: Readonly<Record<string, Partial<JsonSchema>>> = {
  string: { type: 'string' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  object: { type: 'object' },
  array: { type: 'array' },
  uuid: { type: 'string', format: 'uuid' },
  date: { type: 'string', format: 'date' },
  'date-time': { type: 'string', format: 'date-time' },
};

/** Asserts that the schema is of the type that a cell names: `enum[] or null`, `uuid`, `object or FALLBACK` … */
export function expectType(
  schema: JsonSchema | undefined,
  cell: string,
  beyond: readonly string[] = [],
): void {
  expect(schema, `a field of type ${cell}`).toBeDefined();
  const types = [schema?.type ?? []].flat();
  const nullable = / or null|\| null/.test(cell);
  const fallback = cell.includes('or FALLBACK');
  const [base = ''] = cell
    .replace(/ or null.*| \| null.*| or FALLBACK.*/, '')
    .replace(/^string enum/, 'enum')
    .split(/ \(| /);
  const isList = base.endsWith('[]');
  const word = isList ? base.slice(0, -2) : base;
  const inner = isList ? schema?.items : schema;
  if (isList) expect(types).toContain('array');
  if (word === 'enum') expect(inner?.enum?.length ?? 0).toBeGreaterThan(0);
  else {
    const wanted = SIMPLE[word];
    expect(wanted, `the type word ${word}`).toBeDefined();
    expect([inner?.type ?? []].flat()).toContain(wanted?.type);
    expect(inner?.format).toBe(wanted?.format);
  }
  const known = [...(nullable ? ['null'] : []), ...(fallback ? ['string'] : []), ...beyond];
  expect(types.slice(1).toSorted()).toEqual(
    expect.arrayContaining(known.filter((type) => !beyond.includes(type))),
  );
  expect(
    types.slice(1).filter((type) => !known.includes(type)),
    'types that the specification does not name',
  ).toEqual([]);
  if (fallback) expect(schema?.pattern).toBe('^FALLBACK$');
}

const number = '(-?\\d+)';
/** Asserts every default and bound that a cell's words state. Returns how many it found. */
export function expectBounds(
  schema: JsonSchema | undefined,
  cell: string,
  enforce = { default: true },
): number {
  let found = 0;
  const holds = (pattern: RegExp | string, check: (...groups: string[]) => void) => {
    const match = new RegExp(pattern).exec(cell);
    if (!match) return;
    found += 1;
    check(...match.slice(1));
  };
  if (enforce.default) {
    holds('^(true|false)\\b', (value) => expect(schema?.default).toBe(value === 'true'));
    holds(`^${number}(?:;|$)`, (value) => expect(schema?.default).toBe(Number(value)));
    holds('default (\\w+)', (value) =>
      expect(schema?.default).toBe(
        /^\d+$/.test(value ?? '') ? Number(value) : value === 'false' ? false : value,
      ),
    );
  }
  holds(`x >= ${number}`, (least) => expect(schema?.minimum).toBe(Number(least)));
  holds(`${number} <= x <= ${number}`, (least, most) => {
    expect(schema?.minimum).toBe(Number(least));
    expect(schema?.maximum).toBe(Number(most));
  });
  holds(`max ${number} items|max ${number}\\b(?! length)`, (a, b) =>
    expect(schema?.maxItems).toBe(Number(a ?? b)),
  );
  holds(`max length ${number}|max (?=length)`, (most) => expect(schema?.maxLength).toBe(Number(most)));
  holds('deprecated', () => expect(schema?.deprecated).toBe(true));
  return found;
}
