/** The files of a manifest: where each entry goes, and what is never overwritten without a question. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createManifestFiles,
  type DeclaredEntry,
  escapeReferences,
} from '../../../../src/cli/manifest/export/manifest-files.ts';
import { writeManifestFiles } from '../../../../src/cli/manifest/export/write-manifest-files.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { createTestTerminal } from '../../../support/terminal.ts';

const code = 'one();\ntwo();\n';
const suite = { 'tests/a.spec.ts': Buffer.from('a') };
const check = (name: string, fields: object = {}): DeclaredEntry => ({
  section: 'checks',
  fields: { name, checkType: 'BROWSER', script: 'one()', ...fields },
});
const entries: readonly DeclaredEntry[] = [
  { section: 'snippets', fields: { name: 'Sign', script: code } },
  { section: 'groups', fields: { name: 'Shop / EU', tags: ['a', 'b'] } },
  { section: 'groups', fields: { name: 'Twin', key: 'twin-2' } },
  check('Login', { group: 'Shop / EU', script: code }),
  check('login', { group: 'twin-2', script: code }),
  check('検索', { script: code, environmentVariables: [{ key: 'A', value: 'b' }] }),
  check('CON', { script: code }),
  check('Short'),
  check('Imports', {
    script: `import './page';\n${code}`,
    scriptPath: 'e2e/imports.spec.ts',
    dependencies: [{ path: 'e2e/page.ts', content: 'a' }],
  }),
  check('Broken import', { script: `import './page';\n${code}` }),
  check('Unused file', { script: code, dependencies: [{ path: 'a.ts', content: 'a' }] }),
  { section: 'checks', fields: { name: 'Suite', checkType: 'PLAYWRIGHT', group: 'Shop / EU' }, suite },
  { section: 'checks', fields: { name: 'Same suite', checkType: 'PLAYWRIGHT' }, suite },
  {
    section: 'alertChannels',
    fields: { type: 'WEBHOOK', config: { name: 'Deploys', url: 'https://hooks.test/', template: code } },
  },
];

describe('files of a manifest', () => {
  it('has a file for each group and section, and files of code beside them', async () => {
    const files = await createManifestFiles({ project: 'shop', entries });
    const texts = Object.fromEntries(files.map(({ path, content }) => [path, String(content)]));
    expect(Object.keys(texts).sort()).toEqual([
      '.schema.json',
      'alert-channels.yaml',
      'checks.yaml',
      'groups/shop-eu.yaml',
      'groups/twin.yaml',
      'project.yaml',
      'scripts/check-con.spec.ts',
      'scripts/check.spec.ts',
      'scripts/imports/e2e/imports.spec.ts',
      'scripts/imports/e2e/page.ts',
      'scripts/login-2.spec.ts',
      'scripts/login.spec.ts',
      'scripts/unused-file.spec.ts',
      'snippets.yaml',
      'snippets/sign.js',
      'suites/suite/tests/a.spec.ts',
      'templates/deploys.txt',
    ]);
    expect(texts['groups/shop-eu.yaml']).toBe(`# yaml-language-server: $schema=../.schema.json
groups:
  - name: Shop / EU
    tags: [a, b]

checks:
  - name: Login
    checkType: BROWSER
    scriptFile: ../scripts/login.spec.ts
    group: Shop / EU

  - name: Suite
    checkType: PLAYWRIGHT
    group: Shop / EU
    suite: ../suites/suite
`);
    expect(texts['project.yaml']).toBe('# yaml-language-server: $schema=./.schema.json\nproject: shop\n');
    expect(texts['groups/twin.yaml']).toContain('scriptFile: ../scripts/login-2.spec.ts');
    expect(texts['checks.yaml']).toContain('suite: ./suites/suite');
    expect(texts['checks.yaml']).toContain('- {key: A, value: b}');
    expect(texts['checks.yaml']).toContain('script: one()');
    expect(texts['checks.yaml']).toContain("script: |\n      import './page';\n");
    expect(texts['checks.yaml']).toContain(
      'scriptFile: ./scripts/imports/e2e/imports.spec.ts\n    scriptPath: e2e/imports.spec.ts\n\n',
    );
    expect(texts['checks.yaml']).toContain('dependencies:\n      - {path: a.ts, content: a}');
    expect(texts['alert-channels.yaml']).toContain('    templateFile: ./templates/deploys.txt');
    expect(texts['scripts/check.spec.ts']).toBe(code);
  });

  it('escapes references in texts, but not in code', () => {
    const text = 'a ${B $${C';
    expect(escapeReferences({ name: text, tags: [text], script: text })).toEqual({
      name: 'a $${B $$${C',
      tags: ['a $${B $$${C'],
      script: text,
    });
  });

  it('asks before it changes a file, and names other files of the manifest', async () => {
    const cwd = await temporaryFolder();
    const { terminal } = createTestTerminal({});
    const deps = { terminal, cwd, signal: new AbortController().signal };
    const files = await createManifestFiles({ entries });
    const first = await writeManifestFiles(deps, { folder: 'm', files, yes: false });
    expect(first.written).toHaveLength(files.length);
    await writeFile(join(cwd, 'm', 'old.yaml'), 'checks: []\n');
    const again = await writeManifestFiles(deps, { folder: 'm', files, yes: false });
    expect(again).toMatchObject({ written: [], others: ['old.yaml'] });
    const path = join(cwd, 'm', 'checks.yaml');
    await writeFile(path, 'mine');
    await expect(writeManifestFiles(deps, { folder: 'm', files, yes: false })).rejects.toMatchObject({
      message: 'confirmation required: pass --yes when stdin is not a terminal',
      hint: 'unanswered prompt: Overwrite 1 file in m (checks.yaml)?',
    });
    expect(await readFile(path, 'utf8')).toBe('mine');
    const forced = await writeManifestFiles(deps, { folder: 'm', files, yes: true });
    expect(forced.written).toEqual(['checks.yaml']);
  });
});
