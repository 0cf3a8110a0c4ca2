/** Which output flags go together. */
import { expect, it } from 'vitest';
import { nearest } from '../../src/base/meant.ts';
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
  [{ json: true, output: 'csv' }, '--json and -o csv contradict each other: give one'],
  [{ jq: '.', output: 'yaml' }, '--jq works on JSON and cannot go with -o yaml'],
  [{ jq: ' ' }, '--jq the expression is empty; . stands for the whole result'],
  [{ fields: 'id,,name' }, '--fields a name is empty; give names separated by commas, as in id,name'],
  [{ output: 'ical' }, '--output has no format "ical" here'],
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

it.each([
  [
    '.a | .[',
    'jq cannot read the expression: syntax error, unexpected end of file at column 7:\n    .a | .[\n          ^',
  ],
  ['foo(.a)', 'jq cannot read the expression: foo/1 is not defined at column 1:\n    foo(.a)\n    ^^^'],
  [
    '.a |\n  )',
    'jq cannot read the expression: syntax error, unexpected INVALID_CHARACTER at line 2, column 3:\n      )\n      ^',
  ],
])('points into the jq expression %j', async (jq, message) => {
  await expect(resolveOutput({ jq })).rejects.toMatchObject({ exitCode: 2, message });
});

it('takes letters that changed places for the word that begins with them', () => {
  expect(nearest('wiat', ['list', 'wait', 'get'])).toBe('wait');
  expect(nearest('gte', ['set', 'get'])).toBe('get');
  expect(nearest('elsewhere', ['list', 'wait', 'get'])).toBeUndefined();
});
