/** Checks that the files and folders that the guides for contributors name exist. */
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

const decisions = readdirSync(join(root, 'docs/decisions')).map((name) => `docs/decisions/${name}`);

test.each(['docs/architecture.md', 'CONTRIBUTING.md', ...decisions])(
  '%s names only files that exist',
  async (guide) => {
    const text = await readFile(join(root, guide), 'utf8');
    const paths = [...text.matchAll(/`((?:bench|bin|commands|docs|scripts|src|test)\/[\w./-]+)`/g)].map(
      // A recipe for any check type says TYPE.
      ([, path = '']) => path.replace('/TYPE/', '/dns/'),
    );
    if (!decisions.includes(guide)) expect(paths.length).toBeGreaterThan(10);
    const missing = paths.filter(
      (path) => !existsSync(join(root, path)) && !existsSync(join(root, `${path}.test.ts`)),
    );
    expect(missing).toEqual([]);
  },
);
