/** Every pattern of sonde, and the validation of every text of a body, takes time in proportion to its input. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { cronProblem, timezoneProblem } from '../../src/base/cron.ts';
import { UsageError } from '../../src/base/errors.ts';
import { sanitizeBlock, sanitizeLine } from '../../src/base/sanitize.ts';
import { stripComments } from '../../src/base/strip-comments.ts';
import { findNearest } from '../../src/base/suggest.ts';
import { matchesName } from '../../src/cli/manifest/files/look-up.ts';
import { relabel } from '../../src/cli/manifest/import/blackbox/relabel.ts';
import { matchLength } from '../../src/cli/manifest/import/blackbox/target-files.ts';
import { meetsCondition } from '../../src/cli/manifest/import/gatus/conditions.ts';
import { matchGlobs } from '../../src/cli/pack/pack-suite.ts';
import * as contract from '../../src/contract/index.ts';
import { listMissingPackages } from '../../src/contract/script-packages.ts';
import { violationsOf } from '../../src/contract/validate.ts';
import { selectJsonPath } from '../../src/runners/assertions/jsonpath.ts';
import { alternativeNamesOf } from '../../src/runners/tls/names.ts';
import { cleanMessage } from '../../src/service/engine/error-groups/group-failures.ts';
import { compileTemplate, MAX_TEMPLATE_LENGTH } from '../../src/service/notify/channels/template.ts';
import { costOf } from '../support/cost.ts';

/** Less than texts may have, so that their limit hides no pattern. */
const SIZE = 4000;
/** Cost of 8,000 characters in one pass, in µs, below which growth is not compared. What is quadratic costs more. */
const NOISE = 15_000;
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
const MARKS = [
  ...[
    '<',
    '<a ',
    '"',
    '"a',
    "'",
    '\\',
    '(',
    '=',
    'a=',
    '&',
    '%2',
    '@',
    'a@',
    'a/',
    'a-',
    'a b',
    'a,',
    ',',
    '`',
  ],
  ...['http://', '0x', '0.1', '***', '\nat ', 'Error: ', '| ', '${', '+', '\x1b', '\x1b]', '\x1b[1G', '\r\n'],
  ...['-----BEGIN PRIVATE KEY-----', '-----BEGIN CERTIFICATE-----'],
];
const ENDS = ['!', '\0', ''];

/** Fails if `work` costs much more than twice as much for a text of twice the length, `2 * size`. */
function expectLinear(label: string, unit: string, work: (text: string) => void, size = SIZE): void {
  for (const end of ENDS) {
    const make = (length: number) => unit.repeat(Math.ceil(length / unit.length)) + end;
    const long = make(2 * size);
    const from = process.cpuUsage();
    work(long);
    const { user, system } = process.cpuUsage(from);
    if (user + system < NOISE) continue;
    const short = make(size);
    const [once, twice] = [costOf(() => work(short)), costOf(() => work(long))];
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
/** Files whose patterns see only short texts: at most 1,000 characters, or what the kernel writes. */
const SHORT_TEXTS = [
  'src/cli/manifest/import/gatus/conditions.ts',
  'src/cli/manifest/import/go-pattern.ts',
  'src/sandbox/cell/launch.ts',
];
const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((name) => join('src', name))
  .filter((name) => name.endsWith('.ts') && !SHORT_TEXTS.includes(name));
const patterns = new Map<string, RegExp>(
  [
    ...files.flatMap(patternsIn),
    ...endpoints
      .flatMap(({ params, query, body }) => patternsOfSchema([params, query, body]))
      .map((source) => new RegExp(source, 'u')),
  ].map((pattern) => [String(pattern), pattern]),
);

describe('a pattern', () => {
  it('is found by this test', () => {
    expect(patterns.size).toBeGreaterThan(600);
  });

  it.each([...patterns.values()].map((pattern) => [pattern] as const))('%s is linear', (pattern) => {
    const search = (text: string) => {
      pattern.lastIndex = 0;
      if (pattern.global) text.match(pattern);
      else pattern.test(text);
    };
    for (const unit of [...UNITS, ...CODE, ...MARKS]) expectLinear(String(pattern), unit, search);
  });
});

/** Functions whose patterns are put together, or that apply several. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  listMissingPackages,
  cleanMessage,
  cronProblem,
  timezoneProblem,
  stripComments,
  alternativeNames: (subjectAltName) => alternativeNamesOf({ subjectAltName }),
  sanitizeBlock,
  sanitizeLine,
  template: (text) => {
    try {
      return compileTemplate(text.slice(0, MAX_TEMPLATE_LENGTH), 'application/json');
    } catch (error) {
      return error;
    }
  },
};
it.each(Object.entries(READERS))('%s reads a text in one pass', (name, read) => {
  for (const unit of [...UNITS, ...CODE, ...MARKS]) expectLinear(name, unit, read);
});

it('suggests nothing for a text that is no word', () => {
  const candidates = Intl.supportedValuesOf('timeZone');
  expect(findNearest(`${'a'.repeat(200)}`, ['a'.repeat(200)])).toBeUndefined();
  expectLinear('findNearest', 'a', (text) => void findNearest(text, candidates));
});

describe('an expression of a user', () => {
  /** Expressions that search in vain in many ways, from repetitions in repetitions. */
  const nested = fc.letrec<{ part: string }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('a', '.', '[ab]', 'aa'),
      fc.tuple(tie('part'), fc.constantFrom('*', '+', '?')).map(([part, sign]) => `(${part})${sign}`),
      fc.tuple(tie('part'), tie('part')).map(([one, other]) => `(${one}|${other})`),
      fc.tuple(tie('part'), tie('part')).map((parts) => parts.join('')),
    ),
  })).part;
  const relabelWith = (regex: string) => (text: string) =>
    void relabel({ name: text }, [{ source_labels: ['name'], regex, target_label: 'other' }]);

  it('of a relabeling is linear', () => {
    for (const regex of ['(a+)+b', '(a|a)*b', '(.*)*b', `${'a*'.repeat(20)}b`])
      expectLinear(regex, 'a', relabelWith(regex), 1000);
    fc.assert(
      fc.property(nested, (part) => expectLinear(part, 'a', relabelWith(`(${part})*b`), 1000)),
      { numRuns: 40 },
    );
    expect(() => relabelWith('(')('a')).toThrow(UsageError);
  });

  const stars = fc.array(fc.constantFrom('*', '*a', 'a', '*b', '?'), { minLength: 20, maxLength: 40 });
  it('of a name or a file of targets is linear in the name', () => {
    fc.assert(
      fc.property(stars, (parts) => {
        const pattern = `${parts.join('')}c`;
        expectLinear(pattern, 'a', (text) => void matchesName(text, pattern));
        expectLinear(pattern, 'a', (text) => void matchLength(pattern, text), 250);
      }),
      { numRuns: 20 },
    );
    expectLinear('name', '*a', (pattern) => void matchesName(`${'a'.repeat(255)}b`, pattern));
  });
  it('of a name matches as a regular expression does', () => {
    const letters = fc.array(fc.constantFrom('A', 'B', '_'), { maxLength: 8 }).map((each) => each.join(''));
    const pattern = fc
      .array(fc.constantFrom('A', 'B', '_', '*'), { maxLength: 6 })
      .map((each) => each.join(''));
    fc.assert(
      fc.property(letters, pattern, (name, each) => {
        expect(matchesName(name, each)).toBe(new RegExp(`^${each.replaceAll('*', '.*')}$`).test(name));
      }),
      { numRuns: 500 },
    );
  });

  it('of files of a suite has a limit of time and length', () => {
    const path = 'a'.repeat(40);
    expect(() => matchGlobs([`${'*a'.repeat(20)}b`], [path], 50)).toThrow('took longer than 50 ms');
    expect(() => matchGlobs(['a'.repeat(100_000)], [path])).toThrow(UsageError);
    expect(matchGlobs(['a*'], [path, 'b'])).toEqual([path]);
  });

  it('of a condition has a limit of length', () => {
    const condition = {
      text: '',
      placeholder: 'STATUS',
      path: '',
      operator: '==',
      expected: { pattern: '' },
    };
    expectLinear(
      'glob',
      '*1',
      (pattern) => void meetsCondition({ ...condition, expected: { pattern } }, 1e20),
    );
  });

  it.each([
    '[',
    '(',
    "['a",
    '[?@.a',
    '[?(',
    '[?!',
    '&&',
    '\\u',
    '$',
    '@',
    '-',
    '0',
    '..',
    '..*',
    '[?match(@,',
  ])('of JSONPath is linear or too long: %s', (unit) => {
    expectLinear(unit, unit, (path) => void selectJsonPath({}, path), 499);
    expect(selectJsonPath({}, unit.repeat(1001)).unusable).toContain('longer than');
  });
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
