/**
 * Finds the common parts of schemas, so that each is compiled and written once: the same fields occur in the bodies of
 * every check type, for create and update.
 */
import { _, nil, not } from 'ajv/dist/compile/codegen/index.js';
import N from 'ajv/dist/compile/names.js';
import { callValidateCode } from 'ajv/dist/vocabularies/code.js';

/** Returns whether a keyword is only for people and validates nothing. */
const isAnnotation = (keyword) =>
  ['title', 'description', 'default', 'examples', 'deprecated'].includes(keyword) || keyword.startsWith('x-');
/** The minimum length of a shared part; a shorter one is about as long as a function call. */
const WORTH_SHARING = 40;

const SCHEMAS_BY_NAME = ['properties', 'patternProperties'];
const SCHEMAS = ['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf', 'not'];
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Copies a schema and replaces each nested schema by the result of `change`. */
function withParts(schema, change) {
  const over = (value) => (Array.isArray(value) ? value.map(over) : isObject(value) ? change(value) : value);
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (SCHEMAS_BY_NAME.includes(keyword))
        return [
          keyword,
          Object.fromEntries(Object.entries(value).map(([name, part]) => [name, change(part)])),
        ];
      return [keyword, SCHEMAS.includes(keyword) ? over(value) : value];
    }),
  );
}

/** Removes annotations from a schema. */
const withoutAnnotations = (schema) =>
  withParts(
    Object.fromEntries(Object.entries(schema).filter(([keyword]) => !isAnnotation(keyword))),
    withoutAnnotations,
  );

/** Counts each part of the schemas, by its text. */
function countParts(schemas) {
  const counts = new Map();
  const count = (schema) => {
    const text = JSON.stringify(schema);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    // Nested parts of a repeated part are shared with it.
    return counts.get(text) > 1 ? schema : withParts(schema, count);
  };
  for (const schema of schemas) count(schema);
  return counts;
}

/**
 * Returns a function that prepares a schema for compilation: it removes annotations, and replaces repeated parts by the
 * keyword `shared`, which `sharedKeyword` compiles. `add` receives each shared part with its ID.
 */
export function shareParts(schemas, add) {
  const stripped = new Map(schemas.map((schema) => [schema, withoutAnnotations(schema)]));
  const counts = countParts(stripped.values());
  const ids = new Map();
  const named = (schema) => {
    const text = JSON.stringify(schema);
    if (text.length < WORTH_SHARING || counts.get(text) < 2) return withParts(schema, named);
    if (!ids.has(text)) {
      const id = `shared_${ids.size + 1}`;
      ids.set(text, id);
      add(id, withParts(schema, named));
    }
    return { shared: ids.get(text) };
  };
  return (schema) => named(stripped.get(schema));
}

/** Calls the validator of a shared schema, and prefixes its errors with the path of the reference. */
export const sharedKeyword = {
  keyword: 'shared',
  schemaType: 'string',
  code(cxt) {
    const { gen, schema: id, it } = cxt;
    const validate = gen.scopeValue('validate', { ref: it.self.getSchema(id) });
    gen.if(not(callValidateCode(cxt, validate, nil)), () => {
      gen.assign(N.default.vErrors, _`under(${it.errSchemaPath}, ${N.default.vErrors}, ${validate}.errors)`);
      gen.assign(N.default.errors, _`${N.default.vErrors}.length`);
    });
  },
};

/** Formats schemas as JavaScript; repeated parts become constants. */
export function createSchemaWriter(schemas) {
  const counts = countParts(schemas);
  const constants = new Map();
  const write = (value) => {
    if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
    if (!isObject(value)) return JSON.stringify(value);
    const text = JSON.stringify(value);
    const fields = () =>
      `{${Object.entries(value)
        .filter(([, field]) => field !== undefined)
        .map(([name, field]) => `${JSON.stringify(name)}:${write(field)}`)
        .join(',')}}`;
    if (text.length < WORTH_SHARING || (counts.get(text) ?? 0) < 2) return fields();
    if (!constants.has(text)) {
      // Nested constants come first, because a constant can only use earlier ones.
      const written = fields();
      constants.set(text, { name: `part_${constants.size + 1}`, written });
    }
    return constants.get(text).name;
  };
  return {
    write,
    constants: () => [...constants.values()].map(({ name, written }) => `const ${name} = ${written};`),
  };
}
