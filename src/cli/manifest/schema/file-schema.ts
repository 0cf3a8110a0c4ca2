/** Converts schemas of the contract to schemas of files: variables may replace values, and folders may give defaults. */
import { typesOf } from '../../../contract/coerce.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import { nameOfValue } from '../../../contract/value-names.ts';
import { patternMessages } from '../../../contract/violations.ts';

/** A schema in JSON Schema draft 7, with the keywords of editors. */
export interface FileSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, FileSchema>>;
  readonly items?: FileSchema;
  readonly anyOf?: readonly FileSchema[];
  readonly [keyword: string]: unknown;
}

/** A text that contains a variable: its value is known only when sonde reads the file. */
const SOME_VARIABLE = '\\$\\{';
/** A variable in place of a number or a boolean. */
const ONE_VARIABLE = '^\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}$';
const NOT_TEXT = ['number', 'integer', 'boolean'];

/**
 * Returns the schema of a value. Formats and limits of length hold for the values of variables, so they are left out. `isWhole`:
 * whether required fields must be here, as in lists, which replace each other; other fields may come from defaults.
 */
export function toFileSchema(schema: JsonSchema, isWhole = false): FileSchema {
  const { enum: values, items, properties, minimum, maximum, multipleOf, minItems, maxItems } = schema;
  const notes = { description: describe(schema), default: schema.default };
  const types = typesOf(schema);
  const isText = types.includes('string');
  if (values) {
    const variable = { type: 'string', pattern: isText ? SOME_VARIABLE : ONE_VARIABLE };
    return defined({ ...notes, anyOf: [enumSchema(schema, values), variable] });
  }
  const takesVariable = !isText && types.some((type) => NOT_TEXT.includes(type));
  const pattern = takesVariable ? ONE_VARIABLE : toPattern(schema);
  const rule = takesVariable ? `must be a ${types[0]} or \${NAME}` : patternMessages[schema.pattern ?? ''];
  return defined({
    ...notes,
    type: types.length === 0 ? undefined : [...types, ...(takesVariable ? ['string'] : [])],
    pattern,
    patternErrorMessage: rule,
    ...{ minimum, maximum, multipleOf, minItems, maxItems },
    items: items && toFileSchema(items, true),
    ...(properties ? objectKeywords(schema, isWhole) : {}),
  });
}

const toPattern = ({ pattern }: JsonSchema): string | undefined => pattern && `${pattern}|${SOME_VARIABLE}`;

function objectKeywords(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  isWhole: boolean,
) {
  // A hidden value that the files leave out keeps what the deployment has.
  const present = isWhole ? required.filter((name) => !properties[name]?.writeOnly) : [];
  return {
    additionalProperties: additionalProperties === false ? false : undefined,
    required: present.length > 0 ? present : undefined,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, field]) => {
        const converted = toFileSchema(field, isWhole);
        return [name, present.includes(name) ? converted : orNull(converted)];
      }),
    ),
  };
}

/** An empty value unsets a field. */
function orNull(schema: FileSchema): FileSchema {
  if (schema.anyOf) {
    const allowsNull = schema.anyOf.some((one) => Array.isArray(one.enum) && one.enum.includes(null));
    return allowsNull ? schema : { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] };
  }
  const types = [schema.type ?? []].flat();
  return types.length === 0 || types.includes('null') ? schema : { ...schema, type: [...types, 'null'] };
}

function enumSchema(schema: JsonSchema, values: NonNullable<JsonSchema['enum']>): FileSchema {
  const names = values.map((value) => nameOfValue(schema, value)?.description ?? '');
  return { enum: values, ...(names.some((name) => name !== '') ? { enumDescriptions: names } : {}) };
}

function describe({ description, deprecated, 'x-instead': instead }: JsonSchema): string | undefined {
  if (description === undefined || !deprecated) return description;
  return `${description}. Deprecated${instead === undefined ? '' : `: use ${instead}`}`;
}

/** Drops the keywords without a value, and makes a list of one type that type. */
function defined(schema: Readonly<Record<string, unknown>>): FileSchema {
  const { type, ...rest } = schema;
  const single = Array.isArray(type) && type.length === 1 ? type[0] : type;
  return Object.fromEntries(
    Object.entries({ type: single, ...rest }).filter(([, value]) => value !== undefined),
  );
}

/** Returns a schema that accepts what any of the schemas accepts; objects have the fields of all. */
export function unionOf(schemas: readonly FileSchema[]): FileSchema {
  const [first = {}, ...others] = [
    ...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values(),
  ];
  if (others.length === 0) return first;
  if (![first, ...others].every(({ properties }) => properties)) return { anyOf: [first, ...others] };
  const names = new Set([first, ...others].flatMap(({ properties = {} }) => Object.keys(properties)));
  const fieldOf = (name: string) =>
    unionOf(
      [first, ...others].flatMap(({ properties }): readonly FileSchema[] => {
        const field = properties?.[name];
        return field ? [field] : [];
      }),
    );
  return { ...first, properties: Object.fromEntries([...names].map((name) => [name, fieldOf(name)])) };
}
