/** docs/compatibility.md says what the tests of clients saw. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compatibilityText } from '../../scripts/compatibility.mjs';

it('docs/compatibility.md contains the rows of every client (npm run docs writes it)', async () => {
  const current = await readFile(join(import.meta.dirname, '../../docs/compatibility.md'), 'utf8');
  expect(current).toBe(await compatibilityText());
});
