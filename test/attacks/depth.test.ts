/** Texts of a hundred thousand levels: every reader says the limit and the place, and no parser reaches the end of its stack. */
import { describe, expect, it } from 'vitest';
import { command as apply } from '../../commands/apply.ts';
import { command as createDns } from '../../commands/checks/create-dns.ts';
import { command as importBlackbox } from '../../commands/import/blackbox.ts';
import { command as importGatus } from '../../commands/import/gatus.ts';
import { command as importKuma } from '../../commands/import/uptime-kuma.ts';
import { command as plan } from '../../commands/plan.ts';
import { parseYaml } from '../../src/profiles/parse-yaml.ts';
import { type LineOutcome, runLine } from '../support/command.ts';

const LEVELS = 100_000;

const JSON_TEXTS = {
  lists: '['.repeat(LEVELS),
  'closed lists': '['.repeat(LEVELS) + ']'.repeat(LEVELS),
  objects: '{"a":'.repeat(LEVELS),
  'closed objects': `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`,
  'objects after a line': `{"b": 1,\n"a": ${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}}`,
};
const blocks = Array.from({ length: 1500 }, (_, level) => `${' '.repeat(level)}a:`).join('\n');
const YAML_TEXTS = {
  'compact lists': `checks: \n  ${'- '.repeat(LEVELS)}`,
  'flow maps': `{a: `.repeat(LEVELS),
  'flow lists with pairs': '[a: '.repeat(LEVELS),
  'maps in blocks': blocks,
  'explicit keys': '? '.repeat(LEVELS),
  anchors: Array.from({ length: LEVELS }, (_, level) => `&a${level} [`).join(''),
};
/** Nests values where no text nests. The limit of aliases is reached before that of levels. */
const ALIASES = [
  'a0: &a0 [1]',
  ...Array.from({ length: 700 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}]`),
].join('\n');
const TEXTS = Object.entries({ ...JSON_TEXTS, ...YAML_TEXTS });
const FILE = 'deep.yaml';

const READERS: Readonly<Record<string, (text: string) => Promise<LineOutcome>>> = {
  'create -f': (text) => runLine(createDns, ['-f', FILE], { files: { [FILE]: text } }),
  plan: (text) => runLine(plan, [FILE], { files: { [FILE]: text } }),
  apply: (text) => runLine(apply, [FILE], { files: { [FILE]: text } }),
  'import gatus': (text) => runLine(importGatus, [FILE], { files: { [FILE]: text } }),
  'import blackbox': (text) => runLine(importBlackbox, [FILE], { files: { [FILE]: text } }),
};

describe.each(Object.entries(READERS))('%s', (_, read) => {
  it('refuses a chain of aliases', async () => {
    const { code, stderr } = await read(ALIASES);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/deep\.yaml.* alias/) });
  });

  it('refuses a list that holds itself, with the place', async () => {
    const { code, stderr } = await read('checks: &a\n  - *a\n');
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/deep\.yaml:\d:\d+:? is nested deeper than 500 levels/),
    });
  });

  it.each(TEXTS)('refuses %s of too many levels, with the place', async (name, text) => {
    const { code, stderr } = await read(text);
    expect({ name, code, stderr: stderr.slice(0, 300) }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/deep\.yaml:\d+:\d+:? is nested deeper than 500 levels/),
    });
  });
});

it.each(Object.entries(JSON_TEXTS))('import uptime-kuma refuses %s', async (_, text) => {
  const { code, stderr } = await runLine(importKuma, [FILE], { files: { [FILE]: text } });
  expect({ code, stderr: stderr.slice(0, 300) }).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/deep\.yaml:\d+:\d+: is nested deeper than 500 levels/),
  });
});

it.each([...TEXTS, ['aliases', ALIASES] as const])('a file of profiles refuses %s', (_, text) => {
  expect(() => parseYaml(text, FILE)).toThrow(/^deep\.yaml:\d+:\d+: /);
});

it('a flag refuses JSON of too many levels', async () => {
  const set = await runLine(createDns, ['--set', `request=${'['.repeat(LEVELS)}`]);
  expect(set).toMatchObject({ code: 2, stderr: expect.stringContaining('(line 1, column 501)') });
});
