/** The folder of a Playwright project as it is sent: what git keeps, the same bytes each time, and clear words where it cannot be. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { packSuite } from '../../../src/cli/pack/pack-suite.ts';
import { temporaryFolder } from '../../support/folder.ts';

const FILES = {
  'playwright.config.ts': 'export default {};',
  'tests/a.spec.ts': 'a',
  'fixtures.json': '{}',
  'node_modules/lib/index.js': 'x',
  'test-results/trace.zip': 'x',
};

async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
const pathsIn = (archive: Buffer) => Object.keys(unzipSync(archive)).sort();

describe('a project', () => {
  it('is sent without what installing and running leave behind, nor links', async () => {
    const folder = await project(FILES);
    symlinkSync('/etc/passwd', join(folder, 'tests/link.ts'));
    const { archive } = await packSuite(folder, 'shop', process.env);
    expect(pathsIn(archive)).toEqual(['fixtures.json', 'playwright.config.ts', 'tests/a.spec.ts']);
  });

  it('is sent as git keeps it, with what is included and without what is excluded', async () => {
    const folder = await project({ ...FILES, '.gitignore': 'fixtures.json\n', 'docs/long.md': 'x' });
    execFileSync('git', ['init', '-q'], { cwd: folder });
    const plain = await packSuite(folder, 'shop', process.env);
    expect(pathsIn(plain.archive)).not.toContain('fixtures.json');
    const chosen = await packSuite(folder, 'shop', process.env, {
      include: ['*.json'],
      exclude: ['docs/**'],
    });
    expect(pathsIn(chosen.archive)).toEqual([
      '.gitignore',
      'fixtures.json',
      'playwright.config.ts',
      'tests/a.spec.ts',
    ]);
  });

  it.each([false, true])(
    'is sent without files of credentials, which are named (git: %s)',
    async (isTracked) => {
      const credentials = {
        ...{ '.env': '', '.env.d/a': '', '.npmrc': '//r/:_authToken=x', 'a/.npmrc': 'registry=http://k:p@r' },
        ...{ 'bare/HEAD': '', 'bare/objects/a': '', 'bare/refs/a': '', 'prod.env': '' },
      };
      const kept = { 'b/.npmrc': `registry=http://r\n//r/:_authToken=\${TOKEN}`, 'env.ts': '' };
      const folder = await project({ 'playwright.config.ts': '', ...kept, ...credentials });
      if (isTracked) {
        execFileSync('git', ['init', '-q'], { cwd: folder });
        execFileSync('git', ['add', '--all', '--force'], { cwd: folder });
      }
      const { archive, warning } = await packSuite(folder, 'shop', process.env, { include: ['**'] });
      expect(pathsIn(archive)).toEqual([...Object.keys(kept), 'playwright.config.ts'].sort());
      expect(warning).toContain(
        `leaves out ${Object.keys(credentials).sort().join(', ')}: files of credentials`,
      );
    },
  );

  it('gives the same bytes whenever it is packed', async () => {
    const [one, other] = [
      await packSuite(await project(FILES), 'a', process.env),
      await packSuite(await project(FILES), 'b', process.env),
    ];
    expect(one.archive.equals(other.archive)).toBe(true);
  });

  it.each([
    ['is not there', async () => join(await temporaryFolder(), 'shop'), 'no such folder'],
    ['is a file', async () => join(await project({ shop: '' }), 'shop'), 'not a folder'],
    ['holds no tests', () => project({ 'readme.md': '' }), 'no Playwright project found'],
  ])('is refused where it %s', async (_, folder, words) => {
    await expect(packSuite(await folder(), './shop', process.env)).rejects.toMatchObject({
      message: `cannot send ./shop: ${words}`,
      exitCode: 2,
    });
  });
});
