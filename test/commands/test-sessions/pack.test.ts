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
  '.env.local': 'TOKEN=x',
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
    expect(pathsIn(archive)).toEqual(['.env.local', 'playwright.config.ts', 'tests/a.spec.ts']);
  });

  it('is sent as git keeps it, with what is included and without what is excluded', async () => {
    const folder = await project({ ...FILES, '.gitignore': '.env.local\n', 'docs/long.md': 'x' });
    execFileSync('git', ['init', '-q'], { cwd: folder });
    const plain = await packSuite(folder, 'shop', process.env);
    expect(pathsIn(plain.archive)).not.toContain('.env.local');
    const chosen = await packSuite(folder, 'shop', process.env, { include: ['.env*'], exclude: ['docs/**'] });
    expect(pathsIn(chosen.archive)).toEqual([
      '.env.local',
      '.gitignore',
      'playwright.config.ts',
      'tests/a.spec.ts',
    ]);
  });

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
