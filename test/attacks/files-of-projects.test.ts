/** Monitoring files that name files outside the project, or files that never end: none is read, in no field. */
import { execFileSync, spawn } from 'node:child_process';
import { link, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { CODE_FIELDS, entrySchemaOf, fileFieldOf } from '../../src/cli/manifest/files/entry-schema.ts';
import { openFileTree } from '../../src/cli/manifest/files/file-tree.ts';
import { loadManifest } from '../../src/cli/manifest/files/load-manifest.ts';
import { SECTIONS } from '../../src/cli/manifest/kinds.ts';
import { CHECK_TYPE_NAMES } from '../../src/contract/check-type-facts.ts';
import type { JsonSchema } from '../../src/contract/index.ts';
import { problemsOf, treeOf, writeFolder } from '../cli/manifest/files/project-files.ts';
import { temporaryFolder } from '../support/folder.ts';

const SECRET = 'sk_outside_5f1d';
const IS_LINUX = process.platform === 'linux';

/** Returns the paths of the fields of a schema that name a file. */
const fileFields = (schema: JsonSchema): readonly (readonly string[])[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    CODE_FIELDS.some((one) => fileFieldOf(one) === name) || name === 'suite'
      ? [[name]]
      : fileFields(field).map((path) => [name, ...path]),
  );

const FIELDS = SECTIONS.flatMap((section) =>
  (section === 'checks' ? CHECK_TYPE_NAMES : [undefined]).flatMap((type) =>
    fileFields(entrySchemaOf(section, type ?? 'WEBHOOK') ?? {}).map((path) => ({ section, type, path })),
  ),
);

let outside: string;
beforeEach(async () => {
  outside = await temporaryFolder();
  await writeFile(join(outside, 'secret.ts'), SECRET);
  await writeFile(join(outside, 'playwright.config.ts'), SECRET);
});

/** Returns the manifest with one entry that names a file. */
const manifestWith = ({ section, type, path }: (typeof FIELDS)[number], file: string): string => {
  const named = path.reduceRight<unknown>((value, name) => ({ [name]: value }), file);
  return JSON.stringify({
    [section]: [{ name: 'x', ...(type ? { checkType: type } : {}), ...(named as object) }],
  });
};

describe('a file outside the project', () => {
  it('is asked for by many fields', () => {
    expect(new Set(FIELDS.map(({ path }) => path.at(-1)))).toEqual(
      new Set([
        'scriptFile',
        'localSetupScriptFile',
        'localTearDownScriptFile',
        'promptFile',
        'templateFile',
        'suite',
      ]),
    );
  });

  it.each(FIELDS)('is not read for $section $type $path', async (field) => {
    const isSuite = field.path.at(-1) === 'suite';
    const cwd = await writeFolder({ 'repo/.git/HEAD': '', 'repo/monitoring/inside.ts': '' });
    const monitoring = join(cwd, 'repo/monitoring');
    await symlink(outside, join(monitoring, 'linked'));
    await symlink(join(outside, 'secret.ts'), join(monitoring, 'link.ts'));
    await symlink('/nonexistent/secret', join(monitoring, 'nowhere.ts'));
    const files = isSuite
      ? [outside, `../../../${outside}`, 'linked', '/', '../..', '/proc/self']
      : [
          join(outside, 'secret.ts'),
          join(outside, 'no-such-file.ts'),
          `../../../../../../..${outside}/secret.ts`,
          'linked/secret.ts',
          'link.ts',
          'nowhere.ts',
          '/proc/self/environ',
          '/dev/zero',
          '/dev/stdin',
          '/etc/passwd',
        ];
    for (const file of files) {
      await writeFile(join(monitoring, 'x.json'), manifestWith(field, file));
      const error = (await loadManifest(['monitoring'], {
        tree: treeOf(join(cwd, 'repo')),
        env: {},
      }).catch((thrown: unknown) => thrown)) as Error & { details: { place: string; message: string }[] };
      // The links themselves are named as well: whatever cannot be read is.
      const found = error.details.filter(
        ({ place, message }) =>
          place.includes('x.json') && message.includes(`outside the project root ${join(cwd, 'repo')};`),
      );
      expect(found, file).toHaveLength(1);
      expect(found[0]).toMatchObject({ place: expect.stringMatching(/^monitoring\/x\.json:1:\d+$/) });
      expect(found[0]?.message).toContain('or pass --root');
      expect(found[0]?.message.startsWith(`${field.path.at(-1)}: `)).toBe(true);
      expect(JSON.stringify(error.details)).not.toContain(SECRET);
    }
  });

  it.each([
    ...['.git/config', 'git.ts', 'hard.ts', 'nested/.GIT/config', 'bare/config', 'values.txt', 'id_ed25519'],
    ...['.env', '.env.local', '.env.d/shop', '.envrc', 'shop.env', '.npmrc', '.netrc', '.pypirc'],
  ])('is not read from %s, which is for credentials', async (name) => {
    const cwd = await writeFolder({
      ...{ 'repo/.git/HEAD': '', [`repo/${name}`]: `_auth=${SECRET}`, 'repo/.git/config': SECRET },
      ...{ 'repo/bare/HEAD': '', 'repo/bare/objects/x': '', 'repo/bare/refs/x': '' },
      ...{ 'repo/values.txt': SECRET, 'repo/a/b.ts': `import x from '../${name}';` },
    });
    if (name === 'git.ts') {
      await rm(join(cwd, 'repo/git.ts'));
      await symlink('.git/config', join(cwd, 'repo/git.ts'));
    }
    if (name === 'hard.ts') {
      await rm(join(cwd, 'repo/hard.ts'));
      await link(join(cwd, 'repo/.git/config'), join(cwd, 'repo/hard.ts'));
    }
    const tree = openFileTree(
      { cwd: join(cwd, 'repo'), env: {}, readStdin: async () => '' },
      { paths: ['a'], root: undefined, secrets: 'values.txt' },
    );
    for (const scriptFile of [`../${name}`, 'b.ts']) {
      await writeFile(
        join(cwd, 'repo/a/x.json'),
        JSON.stringify({ checks: [{ name: 'A', checkType: 'BROWSER', scriptFile }] }),
      );
      const error = (await loadManifest(['a'], { tree, env: {} }).catch(
        (thrown: unknown) => thrown,
      )) as Error & {
        details: { message: string }[];
      };
      expect(error.details.map(({ message }) => message)).toEqual([
        expect.stringContaining('is for credentials (.git, .env, --secrets)'),
      ]);
      expect(JSON.stringify(error.details)).not.toContain(SECRET);
    }
  });

  it.each([
    ['a file', (cwd: string) => writeFile(join(cwd, '.git'), 'gitdir: store/real\n')],
    ['a link', (cwd: string) => symlink('store/real', join(cwd, '.git'))],
  ])('is not read from the folder that .git names as %s', async (_, connect) => {
    const cwd = await writeFolder({
      'store/real/config': SECRET,
      'a/x.yaml': 'checks: [{ name: A, checkType: BROWSER, scriptFile: ../store/real/config }]',
    });
    await connect(cwd);
    const loaded = loadManifest(['a'], { tree: treeOf(cwd, '', { paths: ['a'] }), env: {} });
    await expect(loaded).rejects.toMatchObject({
      details: [{ message: expect.stringContaining('is for credentials') }],
    });
  });

  it.each(['/secret', '/secret.ts', '/no-such-file'])('is not read for an import of %s', async (name) => {
    const specifier = `../../../../../../../..${outside}${name}`;
    const problems = await problemsOf({
      'monitoring/a.yaml': 'checks: [{ name: A, checkType: BROWSER, scriptFile: a.ts }]',
      'monitoring/a.ts': "import './b';",
      'monitoring/b.ts': `export * from '${specifier}';`,
    });
    expect(problems).toEqual([
      expect.stringMatching(
        /^monitoring\/a\.yaml:1:\d+ scriptFile: monitoring\/b\.ts imports .* is outside the project root \/.*\/monitoring; /,
      ),
    ]);
  });

  it('is no monitoring file either, where a link in the project leads to it', async () => {
    const cwd = await writeFolder({
      'repo/.git/HEAD': '',
      'repo/a/x.yaml': 'services: []',
      'other/.git/HEAD': '',
    });
    await writeFile(join(cwd, 'other/y.yaml'), `${SECRET}: 1`);
    await symlink(join(cwd, 'other/y.yaml'), join(cwd, 'repo/a/y.yaml'));
    await symlink(join(cwd, 'other'), join(cwd, 'repo/b'));
    for (const [path, place] of [
      ['a', 'a/y.yaml'],
      ['a/y.yaml', 'a/y.yaml'],
      ['b', 'b'],
      ['b/y.yaml', 'b/y.yaml'],
    ] as const) {
      const error: unknown = await loadManifest([path], {
        tree: treeOf(join(cwd, 'repo'), '', { paths: [path] }),
        env: {},
      }).catch((thrown: unknown) => thrown);
      expect(error, path).toMatchObject({
        details: [
          { place, message: expect.stringContaining(`is outside the project root ${join(cwd, 'repo')}; `) },
        ],
      });
    }
  });
});

describe('a file of the project', () => {
  const CHECK = 'checks: [{ name: A, checkType: BROWSER, scriptFile: ../shared/a.ts }]';

  it('may be anywhere in the repository, or in the folder of --root', async () => {
    const repository = await writeFolder({
      '.git/HEAD': '',
      'monitoring/a.yaml': CHECK,
      'shared/a.ts': '1;',
    });
    const { manifest } = await loadManifest(['monitoring'], { tree: treeOf(repository), env: {} });
    expect(manifest.entries[0]?.body).toMatchObject({ script: '1;' });

    const folder = await writeFolder({ 'monitoring/a.yaml': CHECK, 'shared/a.ts': '1;' });
    const refused = loadManifest(['monitoring'], { tree: treeOf(folder), env: {} });
    await expect(refused).rejects.toThrow(
      `shared/a.ts is outside the project root ${join(folder, 'monitoring')};`,
    );
    const allowed = loadManifest(['monitoring'], { tree: treeOf(folder, '', { root: '.' }), env: {} });
    expect((await allowed).manifest.entries[0]?.body).toMatchObject({ script: '1;' });
  });

  it('may be reached by links inside it', async () => {
    const cwd = await writeFolder({ '.git/HEAD': '', 'monitoring/a.yaml': CHECK, 'code/a.ts': '1;' });
    await symlink('code', join(cwd, 'shared'));
    const { manifest } = await loadManifest(['monitoring'], { tree: treeOf(cwd), env: {} });
    expect(manifest.entries[0]?.body).toMatchObject({ script: '1;' });
  });

  it.skipIf(!IS_LINUX)('is a regular file of limited size', async () => {
    const cwd = await writeFolder({ 'monitoring/big.ts': '', 'monitoring/sub/x.ts': '' });
    await truncate(join(cwd, 'monitoring/big.ts'), 50_000_001);
    execFileSync('mkfifo', [join(cwd, 'monitoring/pipe.ts')]);
    const problemOf = async (file: string, root?: string) => {
      await writeFile(
        join(cwd, 'monitoring/a.yaml'),
        `checks: [{ name: A, checkType: BROWSER, scriptFile: ${file} }]`,
      );
      const loaded = loadManifest(['monitoring'], { tree: treeOf(cwd, '', { root }), env: {} });
      return loaded.then(
        () => 'read',
        (error: Error) => error.message.replace(/^.*scriptFile: /, ''),
      );
    };
    expect(await problemOf('big.ts')).toBe('monitoring/big.ts is larger than 50 MB');
    expect(await problemOf('pipe.ts')).toBe(
      'monitoring/pipe.ts is a device, pipe or socket, not a regular file',
    );
    expect(await problemOf('sub')).toBe('monitoring/sub is a folder; name a file in it');
    expect(await problemOf('/dev/zero', '/')).toBe(
      '/dev/zero is a device, pipe or socket, not a regular file',
    );
    expect(await problemOf('/proc/self/environ', '/')).toBe(
      '/proc/self/environ is a file of the system, which is never read',
    );
    expect(await problemOf('x.ts', './nowhere')).toBe('--root ./nowhere is not a folder');
  });
});

const SWAP = `
const { renameSync, symlinkSync } = require('node:fs');
const [, swap, ...targets] = process.argv;
for (let turn = 0; turn < 1e6; turn++) {
  symlinkSync(targets[turn % 2], swap + '.new');
  renameSync(swap + '.new', swap);
}`;

it('reads no file through a link that another process changes meanwhile', async () => {
  const cwd = await writeFolder({ 'monitoring/x.yaml': '', 'monitoring/real/secret.ts': 'inside' });
  const swap = join(cwd, 'monitoring/swap');
  await symlink('real', swap);
  const child = spawn(process.execPath, ['-e', SWAP, swap, 'real', outside]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const tree = treeOf(cwd);
  const texts = new Set<string>();
  // Both outcomes come up, and no third.
  for (let turn = 0; turn < 20_000 && (turn < 500 || texts.size < 2); turn++)
    texts.add(await tree.readText('monitoring/swap/secret.ts').catch(() => 'refused'));
  expect([...texts].sort()).toEqual(['inside', 'refused']);
});
