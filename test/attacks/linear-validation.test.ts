/** Validation takes time in proportion to its input: every pattern of the contract, and every text of a body. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { findNearest } from '../../src/base/suggest.ts';
import * as contract from '../../src/contract/index.ts';
import { listMissingPackages } from '../../src/contract/script-packages.ts';
import { violationsOf } from '../../src/contract/validate.ts';
import { costOf } from '../support/cost.ts';

const SIZE = 20_000;
/** Cost of 40,000 characters in one pass, in µs, below which growth is not compared, because it is mostly noise. */
const NOISE = 20_000;
/** Twice the input may take this many times as long. What is quadratic takes four times as long. */
const MOST = 3;

/** Texts that nearly match something when repeated, and what spoils the match at the end. */
const UNITS = [
  '1',
  'a',
  'A',
  ' ',
  '\n',
  '.',
  '-',
  ':',
  '/',
  '[',
  '{',
  '#',
  '_',
  '\t ',
  '1.',
  ' a',
  'a.',
  '::',
  ';\n',
];
const CODE = [
  '\nimport ',
  '}import a',
  ';import a from ',
  'require(',
  "require('a",
  '} ',
  'export * ',
  '{{a}',
  '/* ',
  '//',
];
const ENDS = ['!', '\0', ''];

/** Fails if `work` costs much more than twice as much for a text of twice the length. */
function expectLinear(label: string, unit: string, work: (text: string) => void): void {
  for (const end of ENDS) {
    const texts = [SIZE, 2 * SIZE].map((length) => unit.repeat(Math.ceil(length / unit.length)) + end);
    const [once = 0, twice = 0] = texts.map((text) => costOf(() => work(text)));
    const isFine = twice < NOISE || twice < MOST * once;
    expect(
      isFine,
      `${label} with ${JSON.stringify(unit)}…${JSON.stringify(end)}: ${once} and ${twice} µs`,
    ).toBe(true);
  }
}

/** The patterns that a file of source contains. */
function patternsIn(file: string): readonly RegExp[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const found: RegExp[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const [, body = '', flags = ''] = /^\/(.*)\/(\w*)$/s.exec(node.text) ?? [];
      found.push(new RegExp(body, flags));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The patterns of all schemas. */
function patternsOfSchema(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) =>
    name === 'pattern' && typeof value === 'string' ? [value] : patternsOfSchema(value),
  );
}

const endpoints: readonly contract.Endpoint[] = Object.values(contract);
const filesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
const patterns = new Map<string, RegExp>(
  [
    ...[
      ...filesIn('src/contract'),
      'src/base/cron.ts',
      'src/base/short-id.ts',
      'src/base/strip-comments.ts',
    ].flatMap(patternsIn),
    patternsIn('src/runners/tls/parse-client-certificate.ts'),
    endpoints
      .flatMap(({ params, query, body }) => patternsOfSchema([params, query, body]))
      .map((source) => new RegExp(source, 'u')),
  ]
    .flat()
    .map((pattern) => [String(pattern), pattern]),
);

describe('a pattern of the contract', () => {
  it('is found by this test', () => {
    expect(patterns.size).toBeGreaterThan(40);
  });

  it.each([...patterns.values()].map((pattern) => [pattern] as const))('%s is linear', (pattern) => {
    const search = (text: string) => {
      pattern.lastIndex = 0;
      if (pattern.global) text.match(pattern);
      else pattern.test(text);
    };
    for (const unit of [...UNITS, ...CODE, '-----BEGIN PRIVATE KEY-----', '-----BEGIN CERTIFICATE-----'])
      expectLinear(String(pattern), unit, search);
  });
});

it('finds the packages of a script in one pass', () => {
  for (const unit of CODE)
    expectLinear('listMissingPackages', unit, (text) => void listMissingPackages(text));
});

it('suggests nothing for a text that is no word', () => {
  const candidates = Intl.supportedValuesOf('timeZone');
  expect(findNearest(`${'a'.repeat(200)}`, ['a'.repeat(200)])).toBeUndefined();
  expectLinear('findNearest', 'a', (text) => void findNearest(text, candidates));
});

describe('the validation of a body', () => {
  /** A value of a schema with every optional field, whose texts are all `text`. */
  function fill(schema: contract.JsonSchema | undefined, text: string): unknown {
    const { type, properties, items, enum: values } = schema ?? {};
    if (values !== undefined) return values[0];
    const types = [type ?? []].flat();
    if (properties !== undefined)
      return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, fill(each, text)]));
    if (items !== undefined) return [fill(items, text)];
    return types.includes('string') ? text : types.includes('boolean') ? true : 1;
  }
  const writing = endpoints.filter(({ body }) => body !== undefined);
  it.each(writing.map((endpoint) => [endpoint.name, endpoint] as const))(
    'of %s is linear',
    (name, endpoint) => {
      for (const unit of ['1', 'a', ' ', ':', 'a.', '\n', '\nimport '])
        expectLinear(name, unit, (text) => {
          violationsOf(endpoint, { body: fill(endpoint.body, text) }, 0);
        });
    },
  );

  it('reads no text that is too long, and quotes no long one', () => {
    const found = (target: string) =>
      violationsOf(
        contract.createUrlCheck,
        { body: { request: { assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target }] } } },
        0,
      );
    const of = (target: string) => found(target).filter(({ path }) => path.at(-1) === 'target');
    expect(of('1'.repeat(10_000))).toEqual([]);
    expect(of(`${'1'.repeat(10_000)}!`)).toMatchObject([{ keyword: 'maxLength' }]);
    const [long] = of(`${'1'.repeat(9000)}!`);
    expect(long?.keyword).toBe('assertionTargets');
    expect(long?.message.length).toBeLessThan(300);
  });
});
