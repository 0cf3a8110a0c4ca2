/** The README is short, and its commands run. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { blocksOf, testGuide } from './support/guide.ts';

const readme = readFileSync('README.md', 'utf8');
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

test('two commands do all the set-up', () => {
  const lines = blocksOf(readme, 'sh')[0]
    ?.trim()
    .split('\n')
    .map((line) => line.replace(/ +#.*/, ''));
  expect(lines).toEqual(['npm start', 'npm cit']);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test', 'bench:startup']));
});

test('it has under 120 lines', () => {
  expect(readme.split('\n').length).toBeLessThan(120);
});

testGuide('README.md', { skipped: 1, startsService: true });
