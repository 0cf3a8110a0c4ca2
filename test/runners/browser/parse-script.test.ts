/** What a check's script is made of: its files, and paths that stay within its folder. */
import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseScript } from '../../../src/runners/browser/parse-script.ts';
import { parseMessage } from '../../../src/runners/browser/read-channel.ts';
import { costOf } from '../../support/cost.ts';

describe('a script', () => {
  it.each([
    [`import { test as setup } from '@playwright/test'; setup('a', () => {})`, [], 'test'],
    [`import { login } from './d0'; login()`, [`export * from "playwright/test"`], 'test'],
    [`const { chromium } = require('playwright'); await chromium.launch();`, [], 'script'],
  ])('has a likely kind: %s', (script, contents, kind) => {
    const dependencies = contents.map((content, n) => ({ path: `d${n}.ts`, content }));
    expect(parseScript({ script, dependencies }).likelyKind).toBe(kind);
  });

  it.each([
    ['../a.ts', 'points outside'],
    ['a/../../b.ts', 'points outside'],
    ['..\\a.ts', 'points outside'],
    ['/etc/passwd', 'must be relative'],
    ['C:\\a.ts', 'must be relative'],
    ['.', 'is not a file name'],
    ['lib/', 'is not a file name'],
    ['node_modules/playwright/index.js', 'belongs to the runtime'],
    ['a\0b', 'NUL'],
  ])('refuses the path %s', (path, why) => {
    expect(() => parseScript({ script: '1', dependencies: [{ path, content: '' }] })).toThrow(why);
    expect(() => parseScript({ script: '1', scriptPath: path })).toThrow(why);
  });

  it('refuses files that cannot stand beside each other, and nothing to run', () => {
    const of = (...paths: string[]) =>
      parseScript({ script: '1', dependencies: paths.map((path) => ({ path, content: '' })) });
    expect(() => of('a.ts', './a.ts')).toThrow('two dependencies');
    expect(() => of('a', 'a/b.ts')).toThrow('both a file and the folder');
    expect(() => parseScript({ script: null })).toThrow('no script');
  });

  it('never lets a file out of its folder, whatever its path', () => {
    const segment = fc.constantFrom('..', '.', '', 'a', 'b.ts', '\\', '...', ' ', '..\\..', 'C:', '%2e%2e');
    const path = fc.oneof(
      fc.array(segment, { maxLength: 8 }).map((parts) => parts.join('/')),
      fc.string(),
    );
    fc.assert(
      fc.property(path, (given) => {
        let files: readonly { path: string }[];
        try {
          ({ files } = parseScript({ script: '1', dependencies: [{ path: given, content: '' }] }));
        } catch {
          return;
        }
        for (const file of files) expect(posix.join('/cell', file.path).startsWith('/cell/')).toBe(true);
      }),
    );
  });
});

it('takes of what comes out of a cell only what it should be', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.object().map((value) => JSON.stringify(value)),
      ),
      (line) => {
        expect(parseMessage(line)).toBeUndefined();
      },
    ),
  );
  const forged = {
    type: 'artifact',
    kind: 'screenshot',
    name: '../../x\n.png',
    contentType: 'image/png',
  };
  expect(parseMessage(JSON.stringify(forged))).toMatchObject({ name: '..-..-x-.png' });
  expect(parseMessage(JSON.stringify({ ...forged, contentType: 'text/html' }))).toBeUndefined();
  expect(parseMessage('{"type":"over","report":{"outcome":"great","errors":[1,"x"]}}')).toMatchObject({
    report: { outcome: 'fault', errors: ['', 'x'], tests: [], durationMs: 0 },
  });
});

it.each([
  ['comments that never end', (length: number) => '/* '.repeat(length / 3)],
  ['an import and nothing but space', (length: number) => `import${' '.repeat(length)}`],
  ['a chain that calls nothing', (length: number) => 'test .test'.repeat(length / 10)],
])('reads %s in time that grows with their length alone', (_, code) => {
  const cost = (length: number) => {
    const script = code(length);
    return costOf(() => parseScript({ script, dependencies: [{ path: 'a.ts', content: script }] }));
  };
  // In proportion it would be ten times as much, by the square a hundred times.
  expect(cost(40_000)).toBeLessThan(30 * cost(4000) + 2000);
});
