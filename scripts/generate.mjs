/**
 * Compiles the contract: writes src/contract/generated, where every endpoint is a separate value with its schemas as JSON
 * and its validators as code, so that a bundle contains only what it uses.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv';
import { _ } from 'ajv/dist/compile/codegen/index.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { declarationsOf } from './contract-types.mjs';
import { load } from './load.mjs';
import { createSchemaWriter, sharedKeyword, shareParts } from './shared-schemas.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const generated = join(root, 'src/contract/generated');

const moduleOf = (path) => load(path.replaceAll('/', '-'), { entryPoints: [join(root, path)] });

function compiler(formats) {
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    strictTypes: false,
    allowUnionTypes: true,
    strictRequired: false,
    code: { source: true, esm: true, optimize: 2, formats: _`formats` },
  });
  ajv.addKeyword(sharedKeyword);
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format);
  return ajv;
}

/** Rewrites ajv's module into declarations that a bundler can drop one by one. */
function makeTreeShakable(code) {
  return code
    .replace(/^"use strict";/, '')
    .replaceAll(
      /const (\w+) = require\("ajv\/dist\/runtime\/ucs2length"\)\.default;/g,
      'const $1 = codePoints;',
    )
    .replaceAll(
      /const (\w+) = require\("ajv\/dist\/runtime\/equal"\)\.default;/g,
      'const $1 = isDeepStrictEqual;',
    )
    .replaceAll('= Object.prototype.hasOwnProperty;', '= hasOwn;')
    .replaceAll(/= new RegExp\(/g, '= /* @__PURE__ */ new RegExp(')
    .replaceAll(/= formats\.(\w+);/g, '= /* @__PURE__ */ format("$1");')
    .replaceAll(/= formats\["([\w-]+)"\];/g, '= /* @__PURE__ */ format("$1");');
}

/** Reduces a response schema to its types. */
function typesOnly(schema) {
  const { type, format, required, properties, items, additionalProperties, anyOf } = schema;
  const reduced = {
    type,
    format,
    required,
    properties: properties && mapped(properties, typesOnly),
    items: items && typesOnly(items),
    additionalProperties:
      typeof additionalProperties === 'object' ? typesOnly(additionalProperties) : undefined,
    anyOf: anyOf?.map(typesOnly),
  };
  return Object.fromEntries(Object.entries(reduced).filter(([, value]) => value !== undefined));
}
const mapped = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

/** Writes src/contract/generated/answers.js: the types of responses by endpoint name. */
async function generateAnswers(endpoints) {
  const answers = endpoints.filter(({ response }) => response.schema);
  const shapes = answers.map(({ name, response }) => [name, typesOnly(response.schema)]);
  const writer = createSchemaWriter(shapes.map(([, shape]) => shape));
  const written = shapes.map(([name, shape]) => `${name}: ${writer.write(shape)}`);
  const script = [
    '/* Written by scripts/generate.mjs from src/contract/endpoints. */',
    ...writer.constants(),
    `export const answers = {${written.join(',\n')}};`,
    '',
  ].join('\n');
  const types = [
    '/* Written by scripts/generate.mjs from src/contract/endpoints. */',
    "import type { AnswerShape } from '../answer-shape.ts';",
    'export const answers: Readonly<Record<string, AnswerShape>>;',
    '',
  ].join('\n');
  await writeFile(join(generated, 'answers.js'), script);
  await writeFile(join(generated, 'answers.d.ts'), types);
}

/** Reduces a schema to the paths of its secrets; undefined if it has none. */
function secretsOnly(schema) {
  if (schema === undefined || schema['x-secret'] !== undefined)
    return schema && { 'x-secret': schema['x-secret'] };
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const reduced = secretsOnly(field);
    return reduced ? [[name, reduced]] : [];
  });
  const items = secretsOnly(schema.items);
  const anyOf = schema.anyOf?.flatMap((variant) => secretsOnly(variant) ?? []) ?? [];
  if (properties.length === 0 && !items && anyOf.length === 0) return undefined;
  return {
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(items ? { items } : {}),
    ...(anyOf.length === 0 ? {} : { anyOf }),
  };
}

/** Returns the names that only secrets have. */
function secretNamesOf(endpoints) {
  const marks = endpoints
    .flatMap(({ query, body, response }) => [query, body, response.schema])
    .flatMap((schema) => (schema ? fieldMarks(schema) : []));
  const others = new Set(marks.flatMap(({ name, isSecret }) => (isSecret ? [] : [name])));
  return [...new Set(marks.map(({ name }) => name))].filter((name) => !others.has(name));
}

/** Lists the fields of a schema with whether they are secrets. */
const fieldMarks = (schema) => [
  ...[schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])]
    .filter((part) => typeof part === 'object')
    .flatMap(fieldMarks),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    { name, isSecret: field['x-secret'] !== undefined },
    ...fieldMarks(field),
  ]),
];

/** Writes src/contract/generated/secret-schemas.js: the secrets of requests and responses by endpoint name. */
async function generateSecretSchemas(endpoints) {
  const found = endpoints.flatMap(({ name, method, path, body, response }) => {
    const secrets = { body: secretsOnly(body), answer: secretsOnly(response.schema) };
    return secrets.body || secrets.answer ? [[name, { method, path, ...secrets }]] : [];
  });
  const writer = createSchemaWriter(
    found.flatMap(([, { body, answer }]) => [body, answer].filter((schema) => schema)),
  );
  const written = found.map(([name, secrets]) => `${name}: ${writer.write(secrets)}`);
  const script = [
    '/* Written by scripts/generate.mjs from src/contract/endpoints. */',
    ...writer.constants(),
    `export const secretSchemas = {${written.join(',\n')}};`,
    `export const secretNames = ${JSON.stringify(secretNamesOf(endpoints))};`,
    '',
  ].join('\n');
  const types = [
    '/* Written by scripts/generate.mjs from src/contract/endpoints. */',
    "import type { EndpointSecrets } from '../endpoint.ts';",
    'export const secretSchemas: Readonly<Record<string, EndpointSecrets>>;',
    '/** Names that only secrets have. */',
    'export const secretNames: readonly string[];',
    '',
  ].join('\n');
  await writeFile(join(generated, 'secret-schemas.js'), script);
  await writeFile(join(generated, 'secret-schemas.d.ts'), types);
}

/** Writes src/contract/generated/endpoints.js and its types. */
export async function generate() {
  const { table } = await moduleOf('src/contract/endpoints/index.ts');
  const { formats } = await moduleOf('src/contract/formats.ts');
  const rules = await moduleOf('src/contract/rules.ts');
  const endpoints = Object.values(table);
  const ajv = compiler(formats);
  const exported = {};
  const parts = endpoints.flatMap(({ name, params, query, body }) =>
    Object.entries({ params, query, body })
      .filter(([, schema]) => schema)
      .map(([part, schema]) => ({ id: `${name}_${part}`, schema })),
  );
  const schemas = parts.map(({ schema }) => schema);
  const withSharedParts = shareParts(schemas, (id, schema) => ajv.addSchema({ ...schema, $id: id }));
  for (const { id, schema } of parts) {
    ajv.addSchema({ ...withSharedParts(schema), $id: id });
    exported[id] = id;
  }
  const validators = makeTreeShakable(standaloneCode(ajv, exported)).replaceAll(/export const/g, 'const');
  if (validators.includes('require('))
    throw new Error('A compiled validator needs a part of ajv that is not replaced');
  const writer = createSchemaWriter(schemas);
  const values = endpoints.map((endpoint) => {
    const { name, body, params, query, response, rules: named = [], ...rest } = endpoint;
    const literal = writer.write({ name, ...rest, success: response.status, params, query, body });
    const validate = `{params: ${name}_params, query: ${name}_query, body: ${body ? `${name}_body` : 'undefined'}}`;
    // A spread or a property access would prevent the bundler from dropping unused endpoints.
    return `export const ${name} = ${literal.slice(0, -1)}, rules: [${named}], validate: ${validate}};`;
  });
  const script = [
    '/* Written by scripts/generate.mjs from src/contract/endpoints. */',
    "import { isDeepStrictEqual } from 'node:util';",
    "import { formats } from '../formats.ts';",
    `import { ${Object.keys(rules)} } from '../rules.ts';`,
    'const format = (name) => formats[name];',
    'const hasOwn = /* @__PURE__ */ (() => Object.prototype.hasOwnProperty)();',
    'const codePoints = (text) => { let n = 0; for (const _ of text) n++; return n; };',
    // Prefixes the schema paths of errors in a shared part with the path of its reference.
    'const under = (path, found, more) => [...(found ?? []), ...more.map((error) => ({ ...error, schemaPath: path + error.schemaPath.slice(1) }))];',
    validators,
    ...writer.constants(),
    ...values,
  ].join('\n');
  const types = [
    '/* Written by scripts/generate.mjs from src/contract/endpoints. */',
    "import type { TypedEndpoint } from '../endpoint.ts';",
    ...declarationsOf(endpoints),
    '',
  ].join('\n');
  await mkdir(generated, { recursive: true });
  await writeFile(join(generated, 'endpoints.js'), script);
  await writeFile(join(generated, 'endpoints.d.ts'), types);
  await generateAnswers(endpoints);
  await generateSecretSchemas(endpoints);
  await generateCheckTypes();
}

/**
 * Writes src/contract/generated/check-types.js: the facts of each check type; and check-type-endpoints.js: its endpoints, which are
 * large and a bundle of dist.
 */
async function generateCheckTypes() {
  const { CHECK_TYPE_ROWS, endpointNamesOf, factsOf } = await moduleOf('src/contract/check-types.ts');
  const header = '/* Written by scripts/generate.mjs from src/contract/check-types.ts. */';
  const facts = JSON.stringify(
    Object.fromEntries(CHECK_TYPE_ROWS.map(([type, row]) => [type, factsOf(row)])),
    null,
    2,
  );
  const rows = CHECK_TYPE_ROWS.map(([type, row]) => ({ type, ...endpointNamesOf(row) }));
  const sources = JSON.stringify(
    Object.fromEntries(CHECK_TYPE_ROWS.map(([type, { schemas }]) => [type, schemas.sources ?? {}])),
  );
  const names = rows.flatMap(({ create, update }) => [create, update]).join(', ');
  const files = {
    'check-types.js': [
      header,
      `export const CHECK_TYPES = ${facts};`,
      `export const ASSERTION_SOURCES = ${sources};`,
      '',
    ],
    'check-types.d.ts': [
      header,
      "import type { AssertionSource } from '../endpoint.ts';",
      `export declare const CHECK_TYPES: ${facts};`,
      'export declare const ASSERTION_SOURCES: Readonly<Record<keyof typeof CHECK_TYPES, Readonly<Record<string, AssertionSource>>>>;',
      '',
    ],
    'check-type-endpoints.js': [
      header,
      `import { ${names} } from './endpoints.js';`,
      `export const CHECK_TYPE_ENDPOINTS = {${rows.map(({ type, create, update }) => `${type}: { create: ${create}, update: ${update} }`).join(',\n')}};`,
      '',
    ],
    'check-type-endpoints.d.ts': [
      header,
      `import type { ${names} } from './endpoints.js';`,
      'export declare const CHECK_TYPE_ENDPOINTS: {',
      ...rows.map(
        ({ type, create, update }) =>
          `  readonly ${type}: { readonly create: typeof ${create}; readonly update: typeof ${update} };`,
      ),
      '};',
      '',
    ],
  };
  for (const [name, lines] of Object.entries(files)) await writeFile(join(generated, name), lines.join('\n'));
}

/** Writes docs/openapi.json from the same table. */
export async function generateOpenApi() {
  const { openApiDocument } = await moduleOf('src/contract/openapi.ts');
  const { table } = await moduleOf('src/contract/endpoints/index.ts');
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const document = openApiDocument(Object.values(table), version);
  await writeFile(join(root, 'docs/openapi.json'), `${JSON.stringify(document, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await generate();
  if (process.argv.includes('--docs')) await generateOpenApi();
}
