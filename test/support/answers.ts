/** Answers drawn from response schemas, as deployments may give them: with fields missing, null, unknown, very long or hostile. */
import fc from 'fast-check';
import type { JsonSchema } from '../../src/contract/index.ts';
import { unicodeText } from './characters.ts';
import { DRIVING } from './hostile.ts';

/** Schemas of OpenAPI 3.0 too. */
export interface AnswerSchema extends Omit<JsonSchema, 'properties' | 'items' | 'additionalProperties'> {
  readonly properties?: Readonly<Record<string, AnswerSchema>>;
  readonly items?: AnswerSchema;
  readonly additionalProperties?: boolean | AnswerSchema;
  readonly anyOf?: readonly AnswerSchema[];
  readonly oneOf?: readonly AnswerSchema[];
  readonly allOf?: readonly AnswerSchema[];
  readonly nullable?: boolean;
}

interface Freedom {
  /** Fields that are missing only where the schema allows it; others may be missing or null anyway. */
  readonly keeps: readonly string[];
}

const UUID = fc.uuid();
const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 2, arbitrary: unicodeText({ maxLength: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom(...Object.values(DRIVING)) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '-', '0', 'a\nb\tc', 'x'.repeat(3000), 'w '.repeat(900)) },
);
const instant = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2099-12-31') });
const dateTime = instant.map((date) => date.toISOString());
const day = fc.oneof(
  dateTime,
  dateTime.map((time) => time.slice(0, 10)),
);
const number = fc.oneof(
  fc.integer({ min: -1, max: 20 }),
  fc.integer({ min: 0, max: 2_000_000_000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const anything = fc.jsonValue({ maxDepth: 2 });

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  date: day,
  'date-time': dateTime,
  uuid: UUID,
  ipv4: fc.ipV4(),
};

/** Returns answers of a schema. */
export function answersOf(schema: AnswerSchema, freedom: Freedom, depth = 0): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((each) => answersOf(each, freedom, depth)));
  if (schema.allOf) return answersOf(merged(schema.allOf), freedom, depth);
  const types = [schema.type ?? (schema.properties ? 'object' : [])].flat();
  const values = types.map((type) => valuesOf(type, schema, freedom, depth));
  const all = [...(values.length > 0 ? values : [anything]), ...(schema.nullable ? [fc.constant(null)] : [])];
  return fc.oneof(...all);
}

const merged = (parts: readonly AnswerSchema[]): AnswerSchema => ({
  type: 'object',
  properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  required: parts.flatMap(({ required = [] }) => required),
});

function valuesOf(
  type: string,
  schema: AnswerSchema,
  freedom: Freedom,
  depth: number,
): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: 0, max: 2_000_000_000 });
    case 'number':
      return schema.enum ? fc.oneof(fc.constantFrom(...schema.enum), number) : number;
    case 'array':
      return depth > 6
        ? fc.constant([])
        : fc.array(answersOf(schema.items ?? {}, freedom, depth + 1), { maxLength: 3 });
    case 'object':
      return objectsOf(schema, freedom, depth);
    default: {
      const known = FORMATS[schema.format ?? ''] ?? text;
      // Deployments add values.
      return schema.enum ? fc.oneof(fc.constantFrom(...schema.enum), fc.constant('NEWER_VALUE')) : known;
    }
  }
}

function objectsOf(schema: AnswerSchema, freedom: Freedom, depth: number): fc.Arbitrary<unknown> {
  const { properties = {}, additionalProperties } = schema;
  const isMap = typeof additionalProperties === 'object';
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const values = answersOf(field, freedom, depth + 1);
      const isKept = freedom.keeps.includes(name) || freedom.keeps.length === 0;
      return [name, isKept ? values : fc.oneof({ weight: 5, arbitrary: values }, fc.constant(null))];
    }),
  );
  const required = freedom.keeps.length === 0 ? (schema.required ?? []) : freedom.keeps;
  const record = fc.record(model, { requiredKeys: required.filter((name) => Object.hasOwn(model, name)) });
  if (depth > 6) return record;
  const others = isMap
    ? fc.dictionary(text, answersOf(additionalProperties, freedom, depth + 1), { maxKeys: 3 })
    : fc.constantFrom({}, { aNewerField: { deep: [1, null] } });
  return fc.tuple(others, record).map(([more, fields]) => ({ ...more, ...fields }));
}
