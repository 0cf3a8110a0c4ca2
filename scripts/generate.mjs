/**
 * Compiles the contract: reads the table of endpoints and writes src/contract/generated, where every endpoint is a value
 * of its own with its schemas as plain JSON and its validators as code, so that a bundle holds only what it uses.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv';
import { _ } from 'ajv/dist/compile/codegen/index.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { declarationsOf } from './contract-types.mjs';
import { load } from './load.mjs';
import { sharedKeyword, sharingParts, writtenOnce } from './shared-schemas.mjs';

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

/** ajv's module as declarations that a bundler can drop one by one. */
function tidy(code) {
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

/** What of a schema says of which types an answer is made. */
function shapeOf(schema) {
  const { type, format, required, properties, items, additionalProperties, anyOf } = schema;
  const shape = {
    type,
    format,
    required,
    properties: properties && mapped(properties, shapeOf),
    items: items && shapeOf(items),
    additionalProperties:
      typeof additionalProperties === 'object' ? shapeOf(additionalProperties) : undefined,
    anyOf: anyOf?.map(shapeOf),
  };
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined));
}
const mapped = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

/** Writes src/contract/generated/answers.js: the shapes of answers by the names of their endpoints. */
async function generateAnswers(endpoints) {
  const answers = endpoints.filter(({ response }) => response.schema);
  const shapes = answers.map(({ name, response }) => [name, shapeOf(response.schema)]);
  const once = writtenOnce(shapes.map(([, shape]) => shape));
  const written = shapes.map(([name, shape]) => `${name}: ${once.write(shape)}`);
  const script = [
    '/* Written by scripts/generate.mjs from src/contract/endpoints. */',
    ...once.constants(),
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

/** Writes src/contract/generated/endpoints.js and its types. */
export async function generate() {
  const table = await moduleOf('src/contract/endpoints/index.ts');
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
  const judged = sharingParts(schemas, (id, schema) => ajv.addSchema({ ...schema, $id: id }));
  for (const { id, schema } of parts) {
    ajv.addSchema({ ...judged(schema), $id: id });
    exported[id] = id;
  }
  const validators = tidy(standaloneCode(ajv, exported)).replaceAll(/export const/g, 'const');
  if (validators.includes('require('))
    throw new Error('A compiled validator needs a part of ajv that is not replaced');
  const once = writtenOnce(schemas);
  const values = endpoints.map((endpoint) => {
    const { name, body, params, query, response, rules: named = [], ...rest } = endpoint;
    const said = once.write({ name, ...rest, success: response.status, params, query, body });
    const validate = `{params: ${name}_params, query: ${name}_query, body: ${body ? `${name}_body` : 'undefined'}}`;
    // No spread and no property access: either would keep a bundler from dropping what a command does not use.
    return `export const ${name} = ${said.slice(0, -1)}, rules: [${named}], validate: ${validate}};`;
  });
  const script = [
    '/* Written by scripts/generate.mjs from src/contract/endpoints. */',
    "import { isDeepStrictEqual } from 'node:util';",
    "import { formats } from '../formats.ts';",
    `import { ${Object.keys(rules)} } from '../rules.ts';`,
    'const format = (name) => formats[name];',
    'const hasOwn = /* @__PURE__ */ (() => Object.prototype.hasOwnProperty)();',
    'const codePoints = (text) => { let n = 0; for (const _ of text) n++; return n; };',
    // What a shared part finds, told from the root of the schema that names it.
    'const under = (path, found, more) => [...(found ?? []), ...more.map((error) => ({ ...error, schemaPath: path + error.schemaPath.slice(1) }))];',
    validators,
    ...once.constants(),
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
}

/** Writes docs/openapi.json from the same table. */
export async function generateOpenApi() {
  const { openApiDocument } = await moduleOf('src/contract/openapi.ts');
  const table = await moduleOf('src/contract/endpoints/index.ts');
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const document = openApiDocument(Object.values(table), version);
  await writeFile(join(root, 'docs/openapi.json'), `${JSON.stringify(document, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await generate();
  if (process.argv.includes('--docs')) await generateOpenApi();
}
