/** Checks that the files and folders that the guides for contributors name exist. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

test.each(['docs/architecture.md', 'CONTRIBUTING.md'])('%s names only files that exist', async (guide) => {
  const text = await readFile(join(root, guide), 'utf8');
  const paths = [...text.matchAll(/`((?:bench|bin|commands|docs|scripts|src|test)\/[\w./-]+)`/g)].map(
    ([, path = '']) => path,
  );
  expect(paths.length).toBeGreaterThan(10);
  const missing = paths.filter(
    (path) => !existsSync(join(root, path)) && !existsSync(join(root, `${path}.test.ts`)),
  );
  expect(missing).toEqual([]);
});
