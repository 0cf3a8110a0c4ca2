/** The files of a project, from a folder on the disk and from the texts that a plan keeps. */
import { describe, expect, it } from 'vitest';
import { restoreFiles } from '../../../../src/cli/manifest/files/file-tree.ts';
import { loadManifest } from '../../../../src/cli/manifest/files/load-manifest.ts';
import { load, problemsOf, treeOf, writeFolder } from './project-files.ts';

const PROJECT = {
  'monitoring/project.yaml': `project: shop
defaults:
  checks:
    checkType: URL
    locations: [eu-west-1]
    request: { method: HEAD, followRedirects: true }
`,
  'monitoring/eu/defaults.yml': `defaults:
  checks:
    request: { followRedirects: false }
    tags: [eu]
    scriptFile: ./shared.spec.ts
`,
  'monitoring/eu/checks.yaml': `checks:
  - name: Home
    key: home
    renamedFrom: Old home
    request: { url: "https://\${HOST}/" }
    degradedResponseTime: \${LIMIT}
    tags: null
  - checkType: BROWSER
    name: Login
  - { name: Port, checkType: TCP, tags: [], request: { hostname: example.com, port: 443 } }
`,
  'monitoring/eu/shared.spec.ts': `const text = "\${HOST}";\n`,
  'monitoring/other.json': `{"$schema": "./monitoring.schema.json", "groups": [{"name": "Shop"}], "variables": ["HOST", "LIMIT", "TOKEN", {"key": "TOKEN", "value": "\${TOKEN}"}]}`,
  'monitoring/monitoring.schema.json': '{"type": "object"}',
  'monitoring/package.json': '{"private": true}',
  'monitoring/.hidden.yaml': 'nothing: true',
  'monitoring/node_modules/a/package.yaml': 'nothing: true',
  'monitoring/e2e/playwright.config.ts': '',
  'monitoring/e2e/data.json': '[]',
};
const ENV = { HOST: 'example.com', LIMIT: '250', TOKEN: 'abc-from-env' };

describe('loadManifest', () => {
  it('reads folders with defaults, variables and scripts', async () => {
    const { manifest } = await load(PROJECT, { env: ENV });
    expect(manifest.project).toBe('shop');
    expect(manifest.entries.map(({ section, key, hasOwnKey }) => [section, key, hasOwnKey])).toEqual([
      ['variables', 'TOKEN', false],
      ['groups', 'Shop', false],
      ['checks', 'home', true],
      ['checks', 'Login', false],
      ['checks', 'Port', false],
    ]);
    const [variable, , home, login, port] = manifest.entries;
    expect(variable?.body).toEqual({ key: 'TOKEN', value: 'abc-from-env' });
    expect(home).toMatchObject({ name: 'Home', renamedFrom: 'Old home' });
    expect(home?.body).toEqual({
      checkType: 'URL',
      name: 'Home',
      locations: ['eu-west-1'],
      request: { url: 'https://example.com/', method: 'HEAD', followRedirects: false },
      degradedResponseTime: 250,
    });
    expect(login?.body).toEqual({
      checkType: 'BROWSER',
      name: 'Login',
      locations: ['eu-west-1'],
      tags: ['eu'],
      script: PROJECT['monitoring/eu/shared.spec.ts'],
    });
    expect(port?.body.request).toEqual({ hostname: 'example.com', port: 443 });
    expect(manifest.secrets).toEqual(['abc-from-env']);
  });

  it('says where each value comes from', async () => {
    const { manifest } = await load(PROJECT, { env: ENV });
    const [, , home, login] = manifest.entries;
    expect(home?.formatLocation([])).toBe('monitoring/eu/checks.yaml:2:5');
    expect(home?.formatLocation(['request', 'url'])).toBe('monitoring/eu/checks.yaml:5:16');
    expect(home?.formatLocation(['request', 'method'])).toBe('monitoring/project.yaml:6:16');
    expect(home?.formatLocation(['request', 'followRedirects'])).toBe('monitoring/eu/defaults.yml:3:16');
    expect(login?.formatLocation(['script'])).toBe('monitoring/eu/defaults.yml:5:5');
    expect(login?.formatLocation(['unset', 'field'])).toBe('monitoring/eu/checks.yaml:8:5');
  });

  it('loads the same from the texts that it read', async () => {
    const first = await load(PROJECT, { env: ENV });
    const again = await loadManifest(['monitoring'], {
      tree: restoreFiles(JSON.parse(JSON.stringify(first.files))),
      env: ENV,
    });
    expect(JSON.stringify(again)).toBe(JSON.stringify(first));
    expect(JSON.stringify(first.files)).not.toContain('abc-from-env');
  });

  it('reads stdin, single files and the working folder', async () => {
    const cwd = await writeFolder({ 'a.yaml': 'services: [{ name: A }]', 'scripts/b.js': '1;' });
    const stdin = 'snippets: [{ name: B, scriptFile: scripts/b.js }]';
    const names = async (...paths: string[]) =>
      (await loadManifest(paths, { tree: treeOf(cwd, stdin, { paths }), env: {} })).manifest.entries.map(
        ({ name }) => name,
      );
    expect(await names('-', './a.yaml')).toEqual(['B', 'A']);
    expect(await names('.', 'a.yaml')).toEqual(['A']);
  });

  it('reports every problem of every file at its place', async () => {
    expect(
      await problemsOf({
        'monitoring/a.yaml': `project: shop
cheks: []
checks:
  - name: One
    checkType: URLL
  - name: Two
    checkType: BROWSER
    script: "1"
    scriptFile: ./one.js
  - name: Two
    checkType: URL
    request: { url: "\${MISSING}/\${a.b}" }
groups: Shop
snippets:
  - text
  - { name: S, scriptFile: ./scripts }
  - { name: T, scriptFile: ./absent.js, key: 7 }
  - { nam: U, script: 7 }
`,
        'monitoring/b.yaml': `project: other
defaults:
  checks: { locatons: [eu-west-1], name: Same, request: { folowRedirects: true } }
  group: {}
`,
        'monitoring/c.yaml': 'checks:\n\t- name: Tab\n',
        'monitoring/scripts/one.js': '',
      }),
    ).toMatchInlineSnapshot(`
      [
        "monitoring/a.yaml:2:1 unknown section "cheks" (checks)",
        "monitoring/a.yaml:5:5 "URLL" is not a check type (URL)",
        "monitoring/a.yaml:9:5 cannot be combined with script; remove one of them",
        "monitoring/a.yaml:10:5 checks already have "Two" at monitoring/a.yaml:6:5; use another name, or give each a key",
        "monitoring/a.yaml:12:16 files may not read the variable MISSING: no file lists it in "variables"",
        "monitoring/a.yaml:12:16 "\${a.b}" is not a variable; write \${NAME}, or $\${ for a literal \${",
        "monitoring/a.yaml:13:1 groups must be a list (- name: value)",
        "monitoring/a.yaml:15:5 must contain fields with values (name: value)",
        "monitoring/a.yaml:16:16 scriptFile: monitoring/scripts is a folder; name a file in it",
        "monitoring/a.yaml:17:16 scriptFile: no such file: monitoring/absent.js",
        "monitoring/a.yaml:17:41 key must be a text that is not empty",
        "monitoring/a.yaml:18:5 name is required",
        "monitoring/a.yaml:18:7 nam is not a known field (name)",
        "monitoring/a.yaml:18:15 script must be a string; write "7" in quotes",
        "monitoring/b.yaml:1:1 project "other" differs from "shop" at monitoring/a.yaml:1:1; apply one project at a time",
        "monitoring/b.yaml:3:13 no checks have the field locatons (locations)",
        "monitoring/b.yaml:3:36 name has no default: give each entry its own",
        "monitoring/b.yaml:3:59 no checks have the field request.folowRedirects (followRedirects)",
        "monitoring/b.yaml:4:3 unknown section "group" (groups)",
        "monitoring/c.yaml:2:1 YAML: a tab cannot indent; use spaces",
      ]
    `);
  });
});
