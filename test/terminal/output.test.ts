/** Which output flags go together. */
import { describe, expect, it } from 'vitest';
import { findNearest } from '../../src/base/suggest.ts';
import { resolveOutput } from '../../src/terminal/index.ts';

it.each([
  [{}, { utc: false }],
  [{ json: true }, { utc: false, format: 'json' }],
  [
    { json: true, output: 'json' },
    { utc: false, format: 'json' },
  ],
  [
    { output: 'yaml', utc: true },
    { utc: true, format: 'yaml' },
  ],
  [{ fields: 'id, name,id' }, { utc: false, fields: ['id', 'name'] }],
])('takes %j for %j', async (flags, options) => {
  expect(await resolveOutput(flags)).toEqual(options);
});

it.each([
  [{ json: true, output: 'csv' }, '--json and -o csv are mutually exclusive'],
  [{ jq: '.', output: 'yaml' }, '--jq cannot be combined with -o yaml; with -o jsonl it filters row by row'],
  [{ jq: ' ' }, '--jq must not be empty; for the whole result, use .'],
  [{ fields: 'id,,name' }, '--fields contains an empty name; separate names with commas, such as id,name'],
  [{ output: 'ical' }, '--output does not support the format "ical" here'],
])('refuses %j', async (flags, message) => {
  await expect(resolveOutput(flags)).rejects.toMatchObject({ exitCode: 2, message });
});

it('names the formats there are and the nearest', async () => {
  await expect(resolveOutput({ output: 'jsn' }, ['ical'])).rejects.toMatchObject({
    details: [{ place: '--output', nearest: 'json', allowed: expect.arrayContaining(['csv', 'ical']) }],
    hint: 'did you mean json?',
  });
});

it('tells all contradictions at once', async () => {
  await expect(resolveOutput({ json: true, output: 'csv', fields: ',' })).rejects.toMatchObject({
    details: [{ place: '--json' }, { place: '--fields' }],
  });
});

describe('a jq expression that cannot be read', () => {
  it.each([
    ['.a | .[', 'unexpected end at column 7', { line: 1, column: 7, excerpt: '.a | .[\n      ^' }],
    ['foo(.a)', 'foo/1 is not defined at column 1', { line: 1, column: 1, excerpt: 'foo(.a)\n^^^' }],
    ['.a |\n  )', 'unexpected ")" at line 2, column 3', { line: 2, column: 3, excerpt: '  )\n  ^' }],
    ['.a & .b', 'unexpected "&" at column 4', { line: 1, column: 4, excerpt: '.a & .b\n   ^' }],
    // Bytes are none of the reader's business, and a wide character takes two columns.
    [
      '"日本é" | bar',
      'bar/0 is not defined at column 9',
      { column: 9, excerpt: '"日本é" | bar\n          ^^^' },
    ],
    ['.a."b', 'unterminated string at column 5', { column: 5, excerpt: '.a."b\n    ^' }],
    [
      `${'.a|'.repeat(30)}tset("x")${'|.a'.repeat(30)}`,
      'tset/1 is not defined at column 91',
      {
        nearest: 'test',
        column: 91,
        excerpt: `…${'.a|'.repeat(14).slice(2)}tset("x")${'|.a'.repeat(6).slice(0, 15)}…\n${' '.repeat(41)}^^^^`,
      },
    ],
  ])('is pointed into: %s', async (jq, message, detail) => {
    await expect(resolveOutput({ jq })).rejects.toMatchObject({
      exitCode: 2,
      message: `--jq is not a valid jq expression: ${message}`,
      details: [{ place: '--jq', ...detail }],
    });
  });

  it('is told of every mistake', async () => {
    await expect(resolveOutput({ jq: 'foo,\nbar' })).rejects.toMatchObject({
      details: [
        {
          line: 1,
          column: 1,
          message: 'is not a valid jq expression: foo/0 is not defined at line 1, column 1',
        },
        {
          line: 2,
          column: 1,
          message: 'is not a valid jq expression: bar/0 is not defined at line 2, column 1',
        },
      ],
    });
  });
});

it('takes letters that changed places for the word that begins with them', () => {
  expect(findNearest('wiat', ['list', 'wait', 'get'])).toBe('wait');
  expect(findNearest('gte', ['set', 'get'])).toBe('get');
  expect(findNearest('elsewhere', ['list', 'wait', 'get'])).toBeUndefined();
});

it.each([
  'env.SHOP',
  '$ENV.SHOP',
  '[env, $ENV] | map(.SHOP) | unique[] # both',
  'def env: {SHOP: "eu"}; env.SHOP',
])('reads the environment of sonde in the jq expression %s', async (jq) => {
  const { jq: filter } = await resolveOutput({ jq }, [], { SHOP: 'eu', OTHER: undefined });
  expect(filter?.run('null')).toEqual(['"eu"']);
  expect(filter?.runEach(['1', '2'], 0)).toEqual(['"eu"\n', '"eu"\n']);
});
