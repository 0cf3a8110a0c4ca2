/** `sonde export`: a deployment becomes files that mean the same, without defaults and secrets. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { command as exportCommand } from '../../commands/export.ts';
import { command as plan } from '../../commands/plan.ts';
import { command as formerName } from '../../commands/service/export.ts';
import { loadManifest } from '../../src/cli/manifest/files/load-manifest.ts';
import { encodeState } from '../../src/cli/manifest/state/project-state.ts';
import { zipFiles } from '../../src/cli/pack/pack-suite.ts';
import { stateSnippetName } from '../../src/contract/project-state.ts';
import { treeOf } from '../cli/manifest/files/project-files.ts';
import { envOf, well } from '../cli/resources/journey.ts';
import { runLine } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { send } from '../support/send.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

/** Creates a resource and returns its ID. */
async function create(path: string, body: object): Promise<unknown> {
  const { status, body: answer } = await send(service, `POST /v1/${path}`, body);
  expect(status, JSON.stringify(answer)).toBeLessThan(300);
  return (answer as { id: unknown }).id;
}

const SCRIPT = "import { test } from '@playwright/test';\n\ntest('shop', async () => {});\n";
const text = (name: string): Buffer => Buffer.from(`// ${name}\n`);

/** Creates one of everything that files show in a special way. */
async function createShop(): Promise<void> {
  const snippet = await create('snippets', { name: 'Sign', script: SCRIPT });
  const group = (body: object) => create('check-groups?autoAssignAlerts=false', body);
  const groupId = await group({ name: 'Shop', tags: ['a', 'b'] });
  await group({ name: 'Twin' });
  const twin = await group({ name: 'Twin', muted: true });
  const check = (path: string, body: object) => create(`checks/${path}?autoAssignAlerts=false`, body);
  const suite = {
    'a/b.spec.ts': text('b'),
    'package.json': text('package'),
    'playwright.config.ts': text('config'),
  };
  const packed = { archive: zipFiles(suite).toString('base64') };
  const foreign = { archive: Buffer.from('PK\x03\x04 other').toString('base64') };
  await check('playwright', { name: 'Suite', groupId, codeBundleId: await create('code-bundles', packed) });
  await check('playwright', { name: 'Other', codeBundleId: await create('code-bundles', foreign) });
  await check('browser', { name: 'Login', groupId, script: SCRIPT, frequency: 5 });
  await check('browser', { name: 'Login', script: SCRIPT });
  await check('browser', {
    name: 'Pages',
    groupId,
    script: `import { open } from './pages/shop';\n${SCRIPT}`,
    scriptPath: 'e2e/shop.spec.ts',
    dependencies: [{ path: 'e2e/pages/shop.ts', content: 'export const open = 1;\n' }],
  });
  await check('browser', { name: 'Short', groupId: twin, script: 'one()' });
  await check('api', {
    name: 'Order $' + '{now}',
    request: { url: 'https://shop.test/', basicAuth: { username: 'bob', password: 'hidden-1' } },
    setupSnippetId: snippet,
    environmentVariables: [{ key: 'PIN', value: 'hidden-2', locked: true }],
    retryStrategy: {
      type: 'FIXED',
      baseBackoffSeconds: 60,
      maxRetries: 2,
      maxDurationSeconds: 600,
      sameRegion: true,
    },
  });
  await create('variables', { key: 'TOKEN', value: 'hidden-3', secret: true });
  await create('variables', { key: 'PIN', value: 'hidden-4', locked: true });
  await create('variables', { key: 'API_TOKEN', value: 'shown' });
  await check('url', {
    name: 'Fast',
    frequency: 0,
    frequencyOffset: 20,
    request: { url: 'https://shop.test/' },
  });
  await check('heartbeat', {
    name: 'Backup',
    heartbeat: { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'hours' },
  });
}

const load = async (cwd: string, path: string) =>
  (await loadManifest([path], { tree: treeOf(cwd, '', { paths: [path] }), env: {} })).manifest;
/** The entries, without the functions that tell where they are and the fields as a file has them. */
const entriesOf = async (cwd: string, path: string) =>
  JSON.parse(JSON.stringify((await load(cwd, path)).entries.map(({ written: _, ...entry }) => entry))) as {
    section: string;
    key: string;
    body: object;
  }[];

describe('export', () => {
  it('writes a folder and a document that mean the same', async () => {
    await createShop();
    const cwd = await temporaryFolder();
    const env = envOf(service);
    const { stdout, stderr } = await well(exportCommand, [], { env });
    await writeFile(join(cwd, 'all.yaml'), stdout);
    await well(exportCommand, ['--out', 'monitoring'], { env, cwd });
    const sorted = (entries: readonly { section: string; key: string }[]) =>
      entries.toSorted((a, b) => (`${a.section} ${a.key}` < `${b.section} ${b.key}` ? -1 : 1));
    expect(sorted(await entriesOf(cwd, 'monitoring'))).toEqual(sorted(await entriesOf(cwd, 'all.yaml')));
    for (const path of ['monitoring', 'all.yaml']) {
      const after = await well(plan, [path, '--detailed-exitcode'], { env, cwd });
      expect([after.stdout, after.stderr]).toEqual([expect.stringContaining('No changes.'), '']);
    }

    const names = await readdir(join(cwd, 'monitoring'), { recursive: true });
    expect(names.sort()).toMatchInlineSnapshot(`
      [
        ".schema.json",
        "checks.yaml",
        "code-bundles.yaml",
        "groups",
        "groups.yaml",
        "groups/shop.yaml",
        "scripts",
        "scripts/login-2.spec.ts",
        "scripts/login.spec.ts",
        "scripts/pages",
        "scripts/pages/e2e",
        "scripts/pages/e2e/pages",
        "scripts/pages/e2e/pages/shop.ts",
        "scripts/pages/e2e/shop.spec.ts",
        "snippets",
        "snippets.yaml",
        "snippets/sign.js",
        "suites",
        "suites/suite",
        "suites/suite/a",
        "suites/suite/a/b.spec.ts",
        "suites/suite/package.json",
        "suites/suite/playwright.config.ts",
        "variables.yaml",
      ]
    `);
    expect(await readFile(join(cwd, 'monitoring', 'checks.yaml'), 'utf8')).toMatchInlineSnapshot(`
      "# yaml-language-server: $schema=./.schema.json
      checks:
        - name: Backup
          checkType: HEARTBEAT
          heartbeat:
            period: 1
            periodUnit: days
            grace: 1
            graceUnit: hours

        - name: Fast
          checkType: URL
          request:
            url: https://shop.test/
          frequency: 0
          frequencyOffset: 20

        - key: login
          name: Login
          checkType: BROWSER
          scriptFile: ./scripts/login.spec.ts
          group: Shop
          frequency: 5

        - key: login-2
          name: Login
          checkType: BROWSER
          scriptFile: ./scripts/login-2.spec.ts

        - name: Order $\${now}
          checkType: API
          request:
            url: https://shop.test/
            basicAuth:
              username: bob
          environmentVariables:
            - {key: PIN, locked: true}
          setupSnippet: Sign
          retryStrategy:
            type: FIXED

        - name: Other
          checkType: PLAYWRIGHT
          codeBundleId: b0de4432f727476cab83e6fc05def435f68e36c1664eaa261a5d06ec0a5fe47a
      "
    `);
    expect(await readFile(join(cwd, 'monitoring', 'groups', 'shop.yaml'), 'utf8')).toMatchInlineSnapshot(`
      "# yaml-language-server: $schema=../.schema.json
      groups:
        - name: Shop
          tags: [a, b]

      checks:
        - name: Pages
          checkType: BROWSER
          scriptFile: ../scripts/pages/e2e/shop.spec.ts
          group: Shop
          scriptPath: e2e/shop.spec.ts

        - name: Suite
          checkType: PLAYWRIGHT
          group: Shop
          suite: ../suites/suite
      "
    `);
    expect(stdout).not.toContain('hidden-');
    expect(stdout).not.toContain('pingToken');
    expect(stderr).toMatchInlineSnapshot(`
      "Secrets are not exported, and the deployment keeps them. To set them on another deployment, fill in a file with these lines and run: sonde apply --secrets FILE
        # variable "PIN"
        PIN=
        # variable "TOKEN"
        TOKEN=
        # check "Order \${now}": variable PIN
        CHECK_ORDER_NOW_VARIABLE_PIN=
        # check "Order \${now}": password
        CHECK_ORDER_NOW_PASSWORD=
      Warning: the export contains values that may be secrets, because the deployment shows them. To replace them by variables before you commit the files, pass --extract-secrets FILE. They are in:
        variable "API_TOKEN"
      "
    `);
  });

  it('exports what a project owns, with its keys', async () => {
    const owned = await create('snippets', { name: 'New name', script: 'one()' });
    await create('snippets', { name: 'By hand', script: 'one()' });
    const resource = { section: 'snippets', key: 'sign', name: 'New name', id: owned as number } as const;
    const state = { project: 'shop', resources: [resource] };
    await create('snippets', { name: stateSnippetName('shop'), script: encodeState(state) });
    const env = envOf(service);
    const { stdout } = await well(exportCommand, ['--project', 'shop'], { env });
    expect(stdout).toBe('project: shop\n\nsnippets:\n  - key: sign\n    name: New name\n    script: one()\n');
    const all = await well(exportCommand, [], { env });
    expect(all.stdout).toBe(
      'snippets:\n  - key: sign\n    name: New name\n    script: one()\n\n  - name: By hand\n    script: one()\n',
    );
    for (const input of [stdout, all.stdout])
      expect((await well(plan, ['-', '--detailed-exitcode'], { env, input })).stdout).toContain(
        'No changes.',
      );
    const wrong = await runLine(exportCommand, ['--project', 'shp'], { env });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "shop"?') });
  });

  it('has a former name, which is deprecated', async () => {
    const { stdout, stderr } = await well(formerName, [], { env: envOf(service) });
    expect(stderr).toContain('sonde service export is deprecated; use sonde export instead');
    expect(stdout).toBe('{}\n');
  });
});
