/** Addresses with letters beyond ASCII are URLs however often they are parsed, and sonde parses them in one way. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isUrl } from '../../src/base/parse-url.ts';

const ROOT = join(import.meta.dirname, '../..');

it('gives the same answer after ten thousand calls', () => {
  const calls = Array.from({ length: 10_000 }, (_, index) => isUrl(`https://bücher.example/ü?${index % 7}`));
  expect(calls.filter((each) => !each)).toEqual([]);
  expect(isUrl('https://[')).toBe(false);
  expect(isUrl('/ü', 'https://bücher.example')).toBe(true);
});

it('no source uses URL.canParse', () => {
  const files = ['bin', 'commands', 'src'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(folder, path)),
  );
  expect(files.length).toBeGreaterThan(1000);
  const users = files.filter((path) => /URL\.canParse\(/.test(readFileSync(join(ROOT, path), 'utf8')));
  expect(users).toEqual([]);
});
