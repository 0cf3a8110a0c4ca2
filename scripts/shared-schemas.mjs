/**
 * Finds the parts that schemas have in common, so that each is compiled once and written once: the same fields stand in the
 * bodies of every check type, for creating and for changing it.
 */
import { _, nil, not } from 'ajv/dist/compile/codegen/index.js';
import N from 'ajv/dist/compile/names.js';
import { callValidateCode } from 'ajv/dist/vocabularies/code.js';

/** What a schema says to people alone: it judges nothing. */
const isAnnotation = (keyword) =>
  ['title', 'description', 'default', 'examples', 'deprecated'].includes(keyword) || keyword.startsWith('x-');
/** The text of what is worth it: what judges less is about as long as the call of a function. */
const WORTH_SHARING = 40;

const SCHEMAS_BY_NAME = ['properties', 'patternProperties'];
const SCHEMAS = ['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf', 'not'];
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy of a schema with each schema within it put through `change`. */
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

/** What of a schema judges. */
const judging = (schema) =>
  withParts(
    Object.fromEntries(Object.entries(schema).filter(([keyword]) => !isAnnotation(keyword))),
    judging,
  );

/** How often each part stands in the schemas, by its text. */
function counted(schemas) {
  const counts = new Map();
  const count = (schema) => {
    const text = JSON.stringify(schema);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    // What stands within a part that was seen is shared with it.
    return counts.get(text) > 1 ? schema : withParts(schema, count);
  };
  for (const schema of schemas) count(schema);
  return counts;
}

/**
 * Schemas for compiling, without what judges nothing. A part that stands in two places is one schema more, which both name by the
 * keyword `shared` (`sharedKeyword` compiles it). `add` takes each of them with its id.
 */
export function sharingParts(schemas, add) {
  const stripped = new Map(schemas.map((schema) => [schema, judging(schema)]));
  const counts = counted(stripped.values());
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

/** Calls the validator of a shared schema; what that finds is told with the place at which it is named. */
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

/** A schema as JavaScript, in which parts that stand in several places are written once, as constants: `[text, constants]`. */
export function writtenOnce(schemas) {
  const counts = counted(schemas);
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
      // Those within it first: a constant names only what stands before it.
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
