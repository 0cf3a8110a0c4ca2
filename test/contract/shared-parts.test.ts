/** Validators that share the parts which schemas have in common find what a validator of the whole schema finds. */
import Ajv from 'ajv';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Endpoint, JsonSchema } from '../../src/contract/endpoint.ts';
import { formats } from '../../src/contract/formats.ts';
import * as endpoints from '../../src/contract/generated/endpoints.js';

const TEXTS = ['', 'abc', 'a'.repeat(600), 'DNS', '2026-11-21T08:00:00Z', 'https://example.com', '127.0.0.1'];
const junk = fc.constantFrom<unknown>(null, true, 1, -5, 1.5, 1e9, ...TEXTS, [], {}, [1], ['x', 'x'], {
  a: 1,
});

/** What a schema takes, and here and there something else. */
function likely(schema: JsonSchema | undefined): fc.Arbitrary<unknown> {
  const { enum: values, type, properties = {}, required = [], items } = schema ?? {};
  const some = (): fc.Arbitrary<unknown> => {
    if (values) return fc.constantFrom<unknown>(...values);
    const [kind] = [type ?? []].flat();
    switch (kind) {
      case 'object': {
        const fields = Object.entries(properties).map(([name, field]) => [name, likely(field)]);
        const known: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(fields);
        const all = { ...known, unknown: fc.constant(1) };
        const requiredKeys = required.filter((name) => Object.hasOwn(known, name));
        return fc.oneof(
          { weight: 9, arbitrary: fc.record(known, { requiredKeys }) },
          { weight: 1, arbitrary: fc.record(all, { requiredKeys: [] }) },
        );
      }
      case 'array':
        return fc.array(likely(items), { maxLength: 3 });
      case 'integer':
      case 'number':
        return fc.constantFrom(0, 1, 5, 10, 60, 3600);
      case 'boolean':
        return fc.boolean();
      case 'string':
        return fc.constantFrom(...TEXTS);
      default:
        return junk;
    }
  };
  return fc.oneof({ weight: 19, arbitrary: some() }, { weight: 1, arbitrary: junk });
}

const told = (errors: readonly { instancePath: string; schemaPath: string; keyword: string }[]) =>
  errors.map(({ instancePath, schemaPath, keyword }) => `${instancePath} ${schemaPath} ${keyword}`).sort();

it('finds the same, at the same places of the value and of the schema', () => {
  const ajv = new Ajv({ allErrors: true, strict: false, formats });
  const all: readonly Endpoint[] = Object.values(endpoints);
  for (const endpoint of all) {
    for (const part of ['query', 'body'] as const) {
      const { [part]: schema, validate } = endpoint;
      const [shared, whole] = [validate[part], schema && ajv.compile(schema)];
      if (!schema || !shared || !whole) continue;
      fc.assert(
        fc.property(likely(schema), (value) => {
          expect([shared(value), told(shared.errors ?? [])]).toEqual([
            whole(value),
            told(whole.errors ?? []),
          ]);
        }),
        { numRuns: 20 },
      );
    }
  }
});
