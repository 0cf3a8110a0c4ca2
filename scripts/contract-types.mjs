/** Generates TypeScript types from the contract's JSON Schemas, so that the compiler need not infer them. */

const LITERAL = /^\^(\w+)\$$/;
const NAME = /^[A-Za-z_$][\w$]*$/;

/**
 * Returns the declarations of all endpoints and their types. An object with a title, or one that occurs several times, is
 * one named type.
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
  /** Names by type text, so that equal objects are one type. */
  #names = new Map();
  #taken = new Set();

  declarations() {
    return [...this.#names].map(([text, name]) => `export type ${name} = ${text};`);
  }

  /** Returns the type of a schema. `isResponse`: enumerations are open, because deployments add values. */
  of(schema, path, isResponse = false) {
    // The first of several shapes is that of the requests of our client.
    if (schema.anyOf) return this.of(schema.anyOf[0], path, isResponse);
    const { type = 'object', enum: values } = schema;
    const kinds = Array.isArray(type) ? type : [type];
    return kinds
      .flatMap((kind) => {
        if (kind === 'null') return 'null';
        if (values === undefined) return this.#kind(schema, kind, path, isResponse);
        const known = values.filter((value) => value !== null).map((value) => JSON.stringify(value));
        return isResponse && kind === 'string' ? [...known, '(string & {})'] : known;
      })
      .join(' | ');
  }

  #kind(schema, kind, path, isResponse) {
    if (kind === 'integer') return 'number';
    if (kind === 'array') return `(${this.of(schema.items, `${path}Item`, isResponse)})[]`;
    if (kind === 'object') return this.#object(schema, path, isResponse);
    if (schema.contentEncoding === 'binary') return 'Uint8Array';
    const literal = LITERAL.exec(schema.pattern ?? '')?.[1];
    return literal ? JSON.stringify(literal) : kind;
  }

  #object(schema, path, isResponse) {
    const { properties, required = [], additionalProperties: others } = schema;
    if (properties === undefined) {
      const value = others ? this.of(others, `${path}Value`, isResponse) : 'unknown';
      return `Record<string, ${value}>`;
    }
    const fields = Object.entries(properties).map(([name, field]) => {
      const key = NAME.test(name) ? name : JSON.stringify(name);
      const type = this.of(field, `${path}${capital(name)}`, isResponse);
      return `${key}${required.includes(name) ? '' : '?'}: ${type}`;
    });
    if (fields.length === 0) return 'Record<never, never>';
    return this.#named(`{ ${fields.join('; ')} }`, schema.title ?? path);
  }

  #named(text, preferred) {
    const known = this.#names.get(text);
    if (known) return known;
    let name = capital(preferred);
    for (let next = 2; this.#taken.has(name); next += 1) name = `${capital(preferred)}${next}`;
    this.#taken.add(name);
    this.#names.set(text, name);
    return name;
  }
}

const capital = (name) => {
  const plain = name.replaceAll(/[^\w$]/g, '');
  return plain.charAt(0).toUpperCase() + plain.slice(1);
};
