/** Attacks on the command line: hostile project folders, files and servers against the built binary. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { bareEnv, sonde } from '../support/binary.ts';
import { temporaryFolder } from '../support/folder.ts';
import { answer, serveWith } from '../support/http.ts';
import { sondeInProcess } from '../support/in-process.ts';

const KEY = 'key-that-nobody-may-see';

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Writes a program that leaves its environment in a folder, under its own name. Returns its path. */
function trap(folder: string, name: string, then = ''): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\nenv >> '${folder}/sprung-${name}'\n${then}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Sends the project in `cwd/shop` to a service that takes it. Returns how the command ended and the paths that it sent. */
async function sendShop(cwd: string, more: Readonly<Record<string, string>> = {}) {
  const server = await serveWith(({ url }, response) =>
    answer(response, {
      status: 201,
      body: url.includes('code-bundles')
        ? { id: 'a'.repeat(64) }
        : { testSessionId: 'b', name: 'shop', status: 'RUNNING' },
    }),
  );
  const env = bareEnv(await temporaryFolder(), {
    ...{ SONDE_BASE_URL: server.url, SONDE_API_KEY: KEY, SONDE_ACCOUNT_ID: NOBODY, NPM_TOKEN: KEY },
    ...more,
  });
  const args = ['test-sessions', 'run', '--suite', 'shop', '--run-location', 'eu-west-1', '--no-wait'];
  const ran = await sonde(args, { env, cwd });
  const bundle = server.requests.find(({ url }) => url.includes('code-bundles'));
  const { archive = '' } = bundle ? (JSON.parse(bundle.body) as { archive: string }) : {};
  const sent = archive === '' ? {} : unzipSync(Buffer.from(archive, 'base64'));
  return { ...ran, sent: Object.keys(sent).sort(), requests: server.requests };
}
const NOBODY = '00000000-0000-4000-8000-000000000000';

/** A commit that a signature is said to be in: who shows it has it looked at by a program. */
const SIGNED = (tree: string) => `tree ${tree}
author Eve <eve@example.com> 1700000000 +0000
committer Eve <eve@example.com> 1700000000 +0000
gpgsig -----BEGIN PGP SIGNATURE-----
 
 none
 -----END PGP SIGNATURE-----

Open the shop
`;

async function hostileShop() {
  const [cwd, traps] = [await temporaryFolder(), await temporaryFolder()];
  const shop = join(cwd, 'shop');
  write(shop, { 'playwright.config.ts': 'export default {};', 'tests/a.spec.ts': '', 'a.txt': 'a' });
  const git = (args: readonly string[], input?: string) =>
    execFileSync('git', ['-C', shop, ...args], { input, encoding: 'utf8' }).trim();
  git(['init', '-q', '-b', 'main']);
  git(['add', '.']);
  const commit = git(
    ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'],
    SIGNED(git(['write-tree'])),
  );
  git(['update-ref', 'HEAD', commit]);
  return { cwd, shop, traps, git, commit };
}

it('runs no program that the configuration of a project’s repository names', async () => {
  const { cwd, shop, traps, git } = await hostileShop();
  const hooks = join(shop, '.git/hooks');
  for (const name of ['post-index-change', 'pre-commit', 'reference-transaction'])
    symlinkSync(trap(traps, name), join(hooks, name));
  const configuration = {
    ...{ 'core.fsmonitor': trap(traps, 'fsmonitor'), 'core.hooksPath': hooks },
    ...{ 'core.pager': trap(traps, 'pager'), 'pager.rev-list': 'true', 'pager.ls-files': 'true' },
    ...{ 'log.showSignature': 'true', 'gpg.program': trap(traps, 'gpg') },
    ...{ 'diff.external': trap(traps, 'diff'), 'diff.all.textconv': trap(traps, 'textconv') },
    ...{ 'filter.all.clean': trap(traps, 'clean', 'cat'), 'filter.all.process': trap(traps, 'process') },
    ...{ 'alias.ls-files': `!${trap(traps, 'alias')}`, 'alias.log': `!${traps}/alias` },
    ...{ 'core.sshCommand': trap(traps, 'ssh'), 'credential.helper': `!${trap(traps, 'credentials')}` },
    ...{ 'core.editor': trap(traps, 'editor'), 'core.askPass': trap(traps, 'askpass') },
  };
  for (const [name, value] of Object.entries(configuration)) git(['config', name, value]);
  write(shop, { '.gitattributes': '* filter=all diff=all\n', 'a.txt': 'changed' });
  const { code, stderr, sent, requests } = await sendShop(cwd);
  expect(code, stderr).toBe(0);
  expect(readdirSync(traps).filter((name) => name.startsWith('sprung-'))).toEqual([]);
  expect(sent).toEqual(['.gitattributes', 'a.txt', 'playwright.config.ts', 'tests/a.spec.ts']);
  expect(requests.at(-1)?.body).toContain('Open the shop');
});

it('does not have a partial clone fetch what it lacks', async () => {
  const { cwd, shop, traps, git, commit } = await hostileShop();
  git(['config', 'core.repositoryFormatVersion', '1']);
  git(['config', 'extensions.partialClone', 'origin']);
  git(['config', 'remote.origin.promisor', 'true']);
  git(['config', 'remote.origin.url', 'ssh://git.example.com/shop.git']);
  git(['config', 'core.sshCommand', trap(traps, 'ssh')]);
  execFileSync('rm', ['-f', join(shop, '.git/objects', commit.slice(0, 2), commit.slice(2))]);
  const { code, stderr } = await sendShop(cwd);
  expect(code, stderr).toBe(0);
  expect(readdirSync(traps).filter((name) => name.startsWith('sprung-'))).toEqual([]);
});

it('gives git no key', async () => {
  const { cwd, traps } = await hostileShop();
  trap(traps, 'git', 'exit 1');
  const { code, stderr } = await sendShop(cwd, { PATH: `${traps}:${process.env.PATH}` });
  expect(code, stderr).toBe(0);
  const seen = readFileSync(join(traps, 'sprung-git'), 'utf8');
  expect(seen).toContain('HOME=');
  expect(seen).not.toContain(KEY);
});

it('sends no file from outside the folder, whatever a forged index lists', async () => {
  const { cwd, shop, git } = await hostileShop();
  write(cwd, { id_rsa: 'private', 'secrets/token': 'private' });
  symlinkSync('../secrets', join(shop, 'linked'));
  const blob = git(['hash-object', '-w', '--stdin'], '');
  git(['update-index', '--add', '--cacheinfo', `100644,${blob},xx/id_rsa`]);
  git(['update-index', '--add', '--cacheinfo', `100644,${blob},linked/token`]);
  // git refuses to add such a path, and lists it where it is there.
  const index = join(shop, '.git/index');
  const bytes = readFileSync(index).subarray(0, -20);
  bytes.write('../id_rsa', bytes.indexOf('xx/id_rsa'), 'latin1');
  writeFileSync(index, Buffer.concat([bytes, createHash('sha1').update(bytes).digest()]));
  expect(git(['ls-files'])).toContain('../id_rsa');
  const { code, stderr, sent } = await sendShop(cwd);
  expect(code, stderr).toBe(0);
  expect(sent).toContain('tests/a.spec.ts');
  expect(sent.filter((path) => /id_rsa|token/.test(path))).toEqual([]);
});

describe('a hostile service', () => {
  const ID = '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d';
  const at = async (url: string) =>
    bareEnv(await temporaryFolder(), {
      ...{ SONDE_BASE_URL: url, SONDE_API_KEY: KEY, SONDE_ACCOUNT_ID: NOBODY },
    });
  const nouns: Readonly<Record<string, string>> = {
    ...{ 'alert-channels': '12', checks: ID, dashboards: 'abcdef', groups: '12', incidents: ID },
    ...{ maintenance: '12', 'private-locations': ID, services: ID, sessions: ID, snippets: '12' },
    ...{ 'status-pages': ID, variables: 'KEY' },
  };
  const lines = [
    ...Object.entries(nouns).flatMap(([noun, id]) => [`${noun} list`, `${noun} get ${id}`]),
    ...[`checks results ${ID}`, `error-groups list ${ID}`, 'alert-notifications list', 'static-ips'],
    ...[
      `test-sessions get ${ID}`,
      `sessions wait ${ID} --deadline 1s`,
      'maintenance list -o ical',
      `checks run ${ID} --deadline 1s`,
    ],
    ...['service export', `status-pages access ${ID}`, 'groups update 12 --name x --yes'],
  ];
  /** Every name of a field that the API knows. */
  const names = new Set(
    [...readFileSync('docs/openapi.json', 'utf8').matchAll(/^ +"(\w+)": \{$/gm)].map(
      ([, name]) => name ?? '',
    ),
  );
  const filled = (value: string) => `{${[...names].map((name) => `"${name}":${value}`).join()}}`;
  const VALUES = ['7', '[null]', '"constructor"', '{"__proto__":{"a":1}}'];

  it.each(VALUES)('that answers %s where something else belongs is no bug of ours', async (value) => {
    let text = '';
    const { url } = await serveWith(({ method }, response) =>
      response.writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json' }).end(text),
    );
    const env = await at(url);
    const bugs: string[] = [];
    const thing = filled(value);
    for (text of [
      value,
      `[${value}]`,
      thing,
      `[${thing}]`,
      `{"length":1,"entries":[${thing}],"nextId":null}`,
    ]) {
      for (const [number, line] of lines.entries()) {
        const isTTY = (number + text.length) % 2 === 0;
        const args = [...line.split(' '), '--retry-budget', '0s'];
        const { stderr } = await sondeInProcess(args, { env, isTTY });
        if (/bug in sonde/.test(stderr)) bugs.push(`${line}: ${text.slice(0, 40)}: ${stderr.split('\n')[0]}`);
      }
    }
    expect(bugs).toEqual([]);
  });

  it('that nests without end is refused with its limit', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const { url } = await serveWith((_, response) => answer(response, { body: deep }));
    for (const line of [
      'checks list',
      'checks list --json',
      `checks get ${ID} -o yaml`,
      'api get /v1/checks',
    ]) {
      const { code, stdout, stderr } = await sonde([...line.split(' '), '--retry-budget', '0s'], {
        env: await at(url),
      });
      expect({ line, code, stdout }).toEqual({ line, code: 6, stdout: '' });
      expect(stderr).toContain('JSON that is nested deeper than 500 levels (line ');
    }
  });

  const check = (count: number) => ({ id: ID, name: `check ${count}`, checkType: 'DNS' });
  it.each([
    [
      'the same cursor',
      'sessions list',
      () => ({ entries: [{ checkSessionId: ID }], nextId: 'a', length: 1 }),
    ],
    [
      'new cursors to the same',
      'sessions list',
      (page: number) => ({ entries: [{ checkSessionId: ID }], nextId: `${page}` }),
    ],
    ['new cursors to nothing', 'sessions list', (page: number) => ({ entries: [], nextId: `${page}` })],
    ['the same page by number', 'checks list', () => Array.from({ length: 100 }, () => check(1))],
    ['a cursor, by hand', 'api get /v2/check-sessions', () => ({ entries: [{ id: 1 }], nextId: 'a' })],
    [
      'nothing, by hand',
      'api get /v2/check-sessions',
      (page: number) => ({ entries: [], nextId: `${page}` }),
    ],
  ])('that gives %s comes to an end, with an error', async (_, line, pageOf) => {
    let page = 0;
    const { url, requests } = await serveWith((_request, response) => {
      page += 1;
      answer(response, { body: pageOf(page) });
    });
    const args = [...line.split(' '), '--all', '--json'];
    const { code, stdout, stderr } = await sonde(args, { env: await at(url) });
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toContain('cannot read the whole list');
    expect(requests.length).toBeLessThanOrEqual(10_000);
  });
});

it('is told what is wrong with a hostile file, whatever its shape', async () => {
  const cwd = await temporaryFolder();
  const laughs = Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`);
  write(cwd, {
    'deep.yaml': '['.repeat(100_000),
    'deep-map.json': `{"name":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
    'cycle.yaml': 'name: x\ntags: &a [*a]\n',
    'cycle-root.yaml': '&a\nname: x\nrequest: *a\n',
    'laughs.yaml': ['a0: &a0 [x]', ...laughs].join('\n'),
    'numbers.yaml': 'name: 1e999\nfrequency: .inf\n1: 2\n',
    'keys.yaml': '? [a, b]\n: c\n__proto__: {polluted: 1}\nrequest: {__proto__: {a: 1}}\n',
    'tags.yaml': 'name: !!js/function "x"\ntags: !!set {a, b}\n',
    '.sonderc': '['.repeat(100_000),
  });
  const env = bareEnv(await temporaryFolder(), { SONDE_BASE_URL: 'http://127.0.0.1:9', SONDE_API_KEY: KEY });
  for (const file of readdirSync(cwd)) {
    const args =
      file === '.sonderc'
        ? ['profiles', 'show']
        : ['checks', 'create-dns', '--dry-run', '-f', join(cwd, file)];
    const { code, stderr } = await sonde(args, {
      env,
      cwd: file === '.sonderc' ? cwd : undefined,
      stdin: '',
    });
    expect({ file, code, stderr }).toMatchObject({ file, code: 2 });
    expect(stderr).not.toContain('bug in sonde');
  }
});
