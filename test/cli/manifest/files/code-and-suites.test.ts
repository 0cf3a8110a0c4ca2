/** Scripts with the files that they import, suites as archives, and secrets. */
import { createHash } from 'node:crypto';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { restoreFiles } from '../../../../src/cli/manifest/files/file-tree.ts';
import { loadManifest } from '../../../../src/cli/manifest/files/load-manifest.ts';
import { listImports } from '../../../../src/cli/manifest/files/script-imports.ts';
import { escapeVariables } from '../../../../src/cli/manifest/files/variables.ts';
import { load, problemsOf, treeOf, writeFolder } from './project-files.ts';

const CHECK = `checks:
  - name: Login
    checkType: BROWSER
    scriptFile: ./scripts/login.spec.ts
`;

describe('a script in a file', () => {
  it('brings the files that it imports, with paths from their common folder', async () => {
    const files = {
      'monitoring/checks.yaml': CHECK,
      'monitoring/scripts/login.spec.ts': `import { test } from '@playwright/test';
import {
  shop,
} from '../lib/shop';
import type { Shop } from '../lib/types';
// import { nothing } from './nothing';
test('login', async () => { await import('./wait.js'); });
`,
      'monitoring/lib/shop.ts':
        "export { default } from './data.json';\nimport list from './list.json';\nexport * from '.';\n",
      'monitoring/lib/index.ts': "const shop = require('./shop');\n",
      'monitoring/lib/list.json': '[1]',
      'monitoring/lib/data.json': '{ "checks": "not a section" }',
      'monitoring/scripts/wait.ts': '',
    };
    const { manifest, files: record } = await load(files);
    expect(manifest.entries[0]?.body).toEqual({
      name: 'Login',
      checkType: 'BROWSER',
      script: files['monitoring/scripts/login.spec.ts'],
      scriptPath: 'scripts/login.spec.ts',
      dependencies: [
        { path: 'lib/data.json', content: files['monitoring/lib/data.json'] },
        { path: 'lib/index.ts', content: files['monitoring/lib/index.ts'] },
        { path: 'lib/list.json', content: '[1]' },
        { path: 'lib/shop.ts', content: files['monitoring/lib/shop.ts'] },
        { path: 'scripts/wait.ts', content: '' },
      ],
    });
    const again = await loadManifest(['monitoring'], { tree: restoreFiles(record), env: {} });
    expect(again.manifest.entries[0]?.body).toEqual(manifest.entries[0]?.body);
  });

  it('stays alone if it imports nothing, or if the entry lists its dependencies', async () => {
    const alone = { 'monitoring/scripts/login.spec.ts': "require('node:fs');" };
    const { manifest } = await load({ 'monitoring/checks.yaml': CHECK, ...alone });
    expect(manifest.entries[0]?.body).toEqual({
      name: 'Login',
      checkType: 'BROWSER',
      script: "require('node:fs');",
    });
    const listed = await load({
      'monitoring/checks.yaml': `${CHECK}    dependencies: null\n`,
      'monitoring/scripts/login.spec.ts': "import './absent';",
    });
    expect(listed.manifest.entries[0]?.body).toMatchObject({ dependencies: null });
  });

  it('has a path that the entry may begin further above', async () => {
    const { manifest } = await load({
      'monitoring/checks.yaml': `${CHECK}    scriptPath: monitoring/scripts/login.spec.ts\n`,
      'monitoring/scripts/login.spec.ts': "import './page';",
      'monitoring/scripts/page.ts': '',
    });
    expect(manifest.entries[0]?.body).toMatchObject({
      scriptPath: 'monitoring/scripts/login.spec.ts',
      dependencies: [{ path: 'monitoring/scripts/page.ts', content: '' }],
    });
  });

  it('must have all files that it imports', async () => {
    const problems = await problemsOf({
      'monitoring/checks.yaml': CHECK,
      'monitoring/scripts/login.spec.ts': "import page from './page';",
    });
    expect(problems).toEqual([
      'monitoring/checks.yaml:4:5 scriptFile: monitoring/scripts/login.spec.ts imports ./page, which does not exist',
    ]);
  });
});

it('finds relative imports of every form, and nothing else', () => {
  const code = `
import './a'; import b from "./b"; import * as c from '../c'
export * from './d'; export { e } from './e'
const f = require('./f'), g = await import(\`./g\`);
import type { H } from './h';
/* import './i' */ const text = "import from nowhere"; console.log('./j');
`;
  expect([...listImports(code)].sort()).toEqual(['../c', './a', './b', './d', './e', './f', './g']);
});

describe('a suite', () => {
  const SUITE = {
    'monitoring/e2e/playwright.config.ts': 'export default {};',
    'monitoring/e2e/package.json': '{}',
    'monitoring/e2e/shop.spec.ts': '',
    'monitoring/e2e/fixtures.yaml': '- not a manifest',
  };

  it('becomes an archive, once for all checks that use it, and its ID', async () => {
    const { manifest, files } = await load({
      ...SUITE,
      'monitoring/other/config/playwright.config.ts': '',
      'monitoring/other/data.yaml': '- not a manifest',
      'monitoring/checks.yaml': `defaults: { checks: { suite: ./e2e } }
checks:
  - { name: A, checkType: PLAYWRIGHT }
  - { name: B, checkType: PLAYWRIGHT }
  - { name: C, checkType: URL }
  - { name: D, checkType: PLAYWRIGHT, suite: other, playwrightConfigPath: config/playwright.config.ts }
`,
    });
    const [bundle, , a, b, c, d] = manifest.entries;
    const archive = Buffer.from(String(bundle?.body.archive), 'base64');
    const id = createHash('sha256').update(archive).digest('hex');
    expect(bundle).toMatchObject({ section: 'codeBundles', key: id, name: id });
    expect(a?.body).toEqual({ name: 'A', checkType: 'PLAYWRIGHT', codeBundleId: id });
    expect(b?.body).toMatchObject({ codeBundleId: id });
    expect(d?.body.codeBundleId).not.toBe(id);
    expect(c?.body).toEqual({ name: 'C', checkType: 'URL' });
    expect(a?.formatLocation(['codeBundleId'])).toBe('monitoring/checks.yaml:1:23');
    const again = await loadManifest(['monitoring'], { tree: restoreFiles(files), env: {} });
    expect(again.manifest.entries.map(({ body }) => body)).toEqual(manifest.entries.map(({ body }) => body));
  });

  it('is packed without files of credentials, which a warning names once', async () => {
    const cwd = await writeFolder({
      ...SUITE,
      ...{ 'monitoring/e2e/.env': 'A=1', 'monitoring/e2e/prod.txt': 'B=2', '.git/HEAD': '' },
      'monitoring/checks.yaml': `defaults: { checks: { suite: ./e2e, checkType: PLAYWRIGHT } }
checks: [{ name: A }, { name: B }]`,
    });
    const tree = treeOf(cwd, '', { secrets: 'monitoring/e2e/prod.txt' });
    const { manifest, warnings } = await loadManifest(['monitoring'], { tree, env: {} });
    const archive = unzipSync(Buffer.from(String(manifest.entries[0]?.body.archive), 'base64'));
    expect(Object.keys(archive).sort()).toEqual(
      Object.keys(SUITE)
        .map((path) => path.replace('monitoring/e2e/', ''))
        .sort(),
    );
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^suite: monitoring\/e2e leaves out \.env, prod\.txt: /),
    ]);
  });

  it.each(['.git', '.env.d'])('is no folder below %s', async (folder) => {
    const problems = await problemsOf({
      [`monitoring/${folder}/e2e/playwright.config.ts`]: '',
      'monitoring/a.yaml': `checks: [{ name: A, checkType: PLAYWRIGHT, suite: ${folder}/e2e }]`,
    });
    expect(problems).toEqual([expect.stringContaining('the folder is for credentials')]);
  });

  it('must be a folder with a Playwright configuration', async () => {
    const problems = await problemsOf({
      'monitoring/checks.yaml': `checks:
  - { name: A, checkType: PLAYWRIGHT, suite: ./absent }
  - { name: B, checkType: PLAYWRIGHT, suite: ./empty }
`,
      'monitoring/empty/package.json': '{}',
    });
    expect(problems).toMatchInlineSnapshot(`
      [
        "monitoring/checks.yaml:2:39 suite: monitoring/absent: no such folder",
        "monitoring/checks.yaml:3:39 suite: monitoring/empty: the folder has no playwright.config.ts",
      ]
    `);
  });
});

describe('secrets', () => {
  const text = `variables:
  - { key: A, value: "\${A}" }
  - { key: B, value: plain-secret, secret: true }
  - { key: C, value: "\${SHOP_TOKEN}", secret: true }
  - { key: D, value: "\${PLAIN}", secret: true }
  - { key: E, value: "\${PLAIN_TOO}$\${A} $$ $" }
checks:
  - name: Api
    checkType: API
    request:
      url: https://example.com
      headers: [{ key: X, value: shown }, { key: Y, value: hidden, locked: true }]
      basicAuth: { username: me, password: pass }
`;
  it('are kept from output, and a warning names those in plain text', async () => {
    const usedKeys = new Set<string>();
    const { manifest, warnings } = await load(
      { 'monitoring/a.yaml': text },
      {
        allowEnv: ['*'],
        env: { A: 'overridden', SHOP_TOKEN: 'from-token', PLAIN: 'in-secret', PLAIN_TOO: 'visible' },
        secrets: new Map([['A', 'from-file']]),
        usedKeys,
      },
    );
    expect(manifest.entries.map(({ body }) => body.value).slice(0, 5)).toEqual([
      'from-file',
      'plain-secret',
      'from-token',
      'in-secret',
      `visible\${A} $$ $`,
    ]);
    expect(manifest.secrets).toEqual([
      'from-file',
      'plain-secret',
      'from-token',
      'in-secret',
      'hidden',
      'pass',
    ]);
    expect([...usedKeys]).toEqual(expect.arrayContaining([...manifest.secrets, 'visible']));
    expect(warnings.map(({ place }) => place)).toEqual([
      'monitoring/a.yaml:3:15',
      'monitoring/a.yaml:12:53',
      'monitoring/a.yaml:13:34',
    ]);
  });

  it('are known before an error is thrown', async () => {
    const usedKeys = new Set<string>();
    await problemsOf(
      { 'monitoring/a.yaml': `variables: [{ key: A, value: "\${A_SECRET}\${ABSENT}" }]` },
      { env: { A_SECRET: 'from-env' }, allowEnv: ['A_*'], usedKeys },
    );
    expect([...usedKeys]).toContain('from-env');
  });
});

it('has a text for every text', async () => {
  for (const name of [`\${A}`, `$\${A}`, '$', '$$', '${', '$${$', '}']) {
    const { manifest } = await load({
      'monitoring/a.json': JSON.stringify({ services: [{ name: escapeVariables(name) }] }),
    });
    expect(manifest.entries[0]?.name).toBe(name);
  }
});
