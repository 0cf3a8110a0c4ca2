/** Writes JSON Schema, as the contract uses it, as TypeScript types: what the compiler then reads instead of working it out. */

const LITERAL = /^\^(\w+)\$$/;
const NAME = /^[A-Za-z_$][\w$]*$/;

/**
 * The declaration of every endpoint in the table, and of the types that they share. An object with a title, or one that
 * stands at several places, is one type of that name.
 */
export function declarationsOf(endpoints) {
  const types = new Types();
  const values = endpoints.map(({ name, params, query, body, response }) => {
    const parts = [
      `params: ${types.of(params, `${name}Params`)}`,
      `query: ${types.of(query, `${name}Query`)}`,
      `body: ${body ? types.of(body, `${name}Body`) : 'undefined'}`,
      `response: ${response.schema ? types.of(response.schema, `${name}Response`, true) : 'undefined'}`,
    ];
    return `export declare const ${name}: TypedEndpoint<{ ${parts.join('; ')} }>;`;
  });
  return [...types.declarations(), ...values];
}

class Types {
  /** Names by their texts, so that what is alike is one type. */
  #names = new Map();
  #taken = new Set();

  declarations() {
    return [...this.#names].map(([text, name]) => `export type ${name} = ${text};`);
  }

  /** The type of a schema, at this place. `isAnswer`: enumerations are open, as deployments add values. */
  of(schema, place, isAnswer = false) {
    const { type = 'object', enum: values } = schema;
    const kinds = Array.isArray(type) ? type : [type];
    return kinds
      .flatMap((kind) => {
        if (kind === 'null') return 'null';
        if (values === undefined) return this.#kind(schema, kind, place, isAnswer);
        const known = values.filter((value) => value !== null).map((value) => JSON.stringify(value));
        return isAnswer && kind === 'string' ? [...known, '(string & {})'] : known;
      })
      .join(' | ');
  }

  #kind(schema, kind, place, isAnswer) {
    if (kind === 'integer') return 'number';
    if (kind === 'array') return `(${this.of(schema.items, `${place}Item`, isAnswer)})[]`;
    if (kind === 'object') return this.#object(schema, place, isAnswer);
    if (schema.contentEncoding === 'binary') return 'Uint8Array';
    const literal = LITERAL.exec(schema.pattern ?? '')?.[1];
    return literal ? JSON.stringify(literal) : kind;
  }

  #object(schema, place, isAnswer) {
    const { properties, required = [], additionalProperties: others } = schema;
    if (properties === undefined) {
      const value = others ? this.of(others, `${place}Value`, isAnswer) : 'unknown';
      return `Record<string, ${value}>`;
    }
    const fields = Object.entries(properties).map(([name, field]) => {
      const key = NAME.test(name) ? name : JSON.stringify(name);
      const type = this.of(field, `${place}${capital(name)}`, isAnswer);
      return `${key}${required.includes(name) ? '' : '?'}: ${type}`;
    });
    if (fields.length === 0) return 'Record<never, never>';
    return this.#named(`{ ${fields.join('; ')} }`, schema.title ?? place);
  }

  #named(text, wish) {
    const known = this.#names.get(text);
    if (known) return known;
    let name = capital(wish);
    for (let next = 2; this.#taken.has(name); next += 1) name = `${capital(wish)}${next}`;
    this.#taken.add(name);
    this.#names.set(text, name);
    return name;
  }
}

const capital = (name) => {
  const plain = name.replaceAll(/[^\w$]/g, '');
  return plain.charAt(0).toUpperCase() + plain.slice(1);
};
