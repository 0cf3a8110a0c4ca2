/** `sonde export --extract-secrets`: no planted secret is in a file but that of the values, and a plan finds no changes. */
import { execFileSync } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command as exportCommand } from '../../commands/export.ts';
import { command as plan } from '../../commands/plan.ts';
import { zipFiles } from '../../src/cli/pack/pack-suite.ts';
import { envOf, well } from '../cli/resources/journey.ts';
import { runLine } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { send } from '../support/send.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const account = async (): Promise<TestService> => ({ ...service, ...(await service.newAccount()) });

async function create(to: TestService, path: string, body: object): Promise<unknown> {
  const { status, body: answer } = await send(to, `POST /v1/${path}`, body);
  expect(status, JSON.stringify(answer)).toBeLessThan(300);
  return (answer as { id: unknown }).id;
}

const TEST = "import { test } from '@playwright/test';";

/** Puts a secret into one place of a new resource. `n`: makes names unique. */
type Plant = (to: TestService, secret: string, n: number) => Promise<unknown>;
const api = (to: TestService, n: number, request: object, more: object = {}) =>
  create(to, 'checks/api', { name: `Api ${n}`, request: { url: 'https://shop.test/', ...request }, ...more });
const browser = (to: TestService, n: number, script: string, more: object = {}) =>
  create(to, 'checks/browser', { name: `Login ${n}`, script, ...more });

const PLANTS: Readonly<Record<string, Plant>> = {
  'URL parameter': (to, secret, n) => api(to, n, { url: `https://shop.test/a?x=1&api_key=${secret}#top` }),
  'URL password': (to, secret, n) => api(to, n, { url: `https://bob:${secret}@shop.test/` }),
  'password with a reference': (to, secret, n) =>
    api(to, n, { method: 'POST', bodyType: 'RAW', body: `{"token":"$\{${secret}"}` }),
  'name of a check': (to, secret, n) =>
    create(to, 'checks/url', {
      name: `https://shop.test/${n}?token=${secret}`,
      request: { url: 'https://shop.test/' },
    }),
  header: (to, secret, n) => api(to, n, { headers: [{ key: 'X-Api-Key', value: secret }] }),
  'query parameter': (to, secret, n) => api(to, n, { queryParameters: [{ key: 'token', value: secret }] }),
  'JSON body': (to, secret, n) =>
    api(to, n, { method: 'POST', bodyType: 'JSON', body: `{"password": "${secret}", "n": 1}` }),
  'form body': (to, secret, n) =>
    api(to, n, { method: 'POST', bodyType: 'FORM', body: `user=bob&client_secret=${secret}` }),
  'XML body': (to, secret, n) =>
    api(to, n, { method: 'POST', bodyType: 'RAW', body: `<a><password>${secret}</password></a>` }),
  'environment variable': (to, secret, n) =>
    api(to, n, {}, { environmentVariables: [{ key: 'DB_PASSWORD', value: secret }] }),
  'setup script': (to, secret, n) =>
    api(to, n, {}, { localSetupScript: `const token = '${secret}';\nrun(token);` }),
  'account variable': (to, secret, n) => create(to, 'variables', { key: `TOKEN_${n}`, value: secret }),
  snippet: (to, secret, n) =>
    create(to, 'snippets', { name: `Sign ${n}`, script: `set({ password: "${secret}" });\n` }),
  script: (to, secret, n) =>
    browser(to, n, `${TEST}\n\nawait page.fill('#password', '${secret}');\nconst a = \`\${b}\`;\n`),
  'script of one line': (to, secret, n) => browser(to, n, `go('https://shop.test/?token=${secret}')`),
  'imported file': (to, secret, n) =>
    browser(to, n, `import { open } from './shop';\n${TEST}\n`, {
      scriptPath: 'e2e/a.spec.ts',
      dependencies: [
        { path: 'e2e/shop.ts', content: `export const open = 1;\nconst secret = '${secret}';\n` },
      ],
    }),
  suite: async (to, secret, n) => {
    const files = {
      'a.spec.ts': Buffer.from(`${TEST}\nconst password = '${secret}';\n`),
      'logo.png': Buffer.from([0x89, 0x50, 0xff, 0xfe]),
      'playwright.config.ts': Buffer.from(`export default {};\n`),
    };
    const codeBundleId = await create(to, 'code-bundles', { archive: zipFiles(files).toString('base64') });
    return create(to, 'checks/playwright', { name: `Suite ${n}`, codeBundleId });
  },
  'webhook header': (to, secret, n) =>
    create(to, 'alert-channels', {
      type: 'WEBHOOK',
      config: {
        name: `Hook ${n}`,
        url: 'https://hooks.test/',
        headers: [{ key: 'Authorization', value: `Bearer ${secret}` }],
      },
    }),
  'webhook template': (to, secret, n) =>
    create(to, 'alert-channels', {
      type: 'WEBHOOK',
      config: {
        name: `Text ${n}`,
        url: 'https://hooks.test/',
        template: `{"token": "${secret}", "text": "{{ALERT_TITLE}}"}`,
      },
    }),
  'group header': (to, secret, n) =>
    create(to, 'check-groups', {
      name: `Group ${n}`,
      apiCheckDefaults: { headers: [{ key: 'Cookie', value: secret }] },
    }),
};

/** Keys with a form of their own are found anywhere. */
const KEY_PLANTS: Readonly<Record<string, Plant>> = {
  'user name': (to, secret, n) => api(to, n, { basicAuth: { username: secret, password: '' } }),
  'URL user': (to, secret, n) => api(to, n, { url: `https://${secret}@shop.test/` }),
  'URL path': (to, secret, n) => api(to, n, { url: `https://shop.test/${secret}/status` }),
  'any header': (to, secret, n) => api(to, n, { headers: [{ key: 'X-Custom', value: secret }] }),
  'any variable': (to, secret, n) =>
    api(to, n, {}, { environmentVariables: [{ key: 'STRIPE', value: secret }] }),
  description: (to, secret, n) =>
    browser(to, n, `// $${secret}\nrun()`, { description: `uses $$${secret}.` }),
};

const alphabet = (characters: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength });
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ';
const password = fc
  .tuple(alphabet(LETTERS, 4, 12), alphabet('0123456789-_.~', 3, 6))
  .map(([word, digits]) => `Z${word}${digits}9`);
const key = alphabet(`${LETTERS}0123456789`, 24, 32).map((text) => `sk_live_${text}`);
const planted = (plants: Readonly<Record<string, Plant>>, secret: fc.Arbitrary<string>) =>
  fc.tuple(fc.constantFrom(...Object.keys(plants)), secret);
const accounts = fc.array(
  fc.oneof(planted(PLANTS, password), planted(PLANTS, key), planted(KEY_PLANTS, key)),
  {
    minLength: 4,
    maxLength: 10,
  },
);

/** Returns the texts of all files below a folder, and their paths, by path. */
async function readAll(folder: string): Promise<ReadonlyMap<string, string>> {
  const paths = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = paths.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  return new Map(await Promise.all(files.map(async (path) => [path, await readFile(path, 'utf8')] as const)));
}

/** Exports an account that has the secrets, in both forms, and checks that only the file of the values has them. */
async function expectExtracted(places: readonly (readonly [string, string])[]): Promise<void> {
  const to = await account();
  for (const [n, [place, secret]] of places.entries())
    await { ...PLANTS, ...KEY_PLANTS }[place]?.(to, secret, n);
  const cwd = await temporaryFolder();
  const env = envOf(to);
  const known = await well(exportCommand, [], { env });
  const folder = await well(exportCommand, ['--out', 'm', '--extract-secrets', 'shop.env'], { env, cwd });
  const printed = await well(exportCommand, ['--extract-secrets', 'all.env'], { env, cwd });
  const files = await readAll(join(cwd, 'm'));
  const values = await readFile(join(cwd, 'shop.env'), 'utf8');
  const shown = [...files].flat().join('\n') + folder.stdout + folder.stderr + printed.stderr + known.stderr;
  for (const [place, secret] of places) {
    expect(shown, place).not.toContain(secret);
    if (place !== 'suite') expect(printed.stdout, place).not.toContain(secret);
    expect(values, place).toContain(secret);
  }
  await writeFile(join(cwd, 'all.yaml'), printed.stdout);
  for (const line of [
    ['m', '--secrets', 'shop.env'],
    ['all.yaml', '--secrets', 'all.env'],
  ]) {
    const { stdout, stderr } = await well(plan, [...line, '--detailed-exitcode'], { env, cwd });
    expect([stdout, stderr]).toEqual([expect.stringContaining('No changes.'), '']);
  }
  const set = Object.fromEntries(
    [...values.matchAll(/^(\w+)="(.*)"$/gm)].map(([, name, value]) => [name, unquote(value)]),
  );
  const { stdout } = await well(plan, ['m', '--detailed-exitcode'], { env: { ...env, ...set }, cwd });
  expect(stdout).toContain('No changes.');
}

const unquote = (value = ''): string => value.replace(/\\(.)/g, '$1');

describe('export --extract-secrets', () => {
  it('moves a secret from each place', async () => {
    await expectExtracted(Object.keys(PLANTS).map((place, n) => [place, `Hunter-${n}x7`] as const));
    await expectExtracted(
      Object.keys(KEY_PLANTS).map((place, n) => [place, `sk_live_${n}Ab3dEf6hIj9kLm2nOp5q`] as const),
    );
  });

  it('moves the secrets of generated accounts', async () => {
    await fc.assert(fc.asyncProperty(accounts, expectExtracted), { numRuns: 4 });
  }, 120_000);

  it('names each secret with its place', async () => {
    const to = await account();
    await PLANTS['URL parameter']?.(to, 'hunter2', 1);
    await PLANTS.header?.(to, 'hunter2', 2);
    await PLANTS.script?.(to, 'hunter3', 3);
    const { stderr } = await well(exportCommand, [], { env: envOf(to) });
    expect(stderr).toMatchInlineSnapshot(`
      "Warning: the export contains values that may be secrets, because the deployment shows them. To replace them by variables before you commit the files, pass --extract-secrets FILE. They are in:
        check "Api 1": URL (api_key)
        check "Api 2": header X-Api-Key
        check "Login 3": script, line 3 (password)
      "
    `);
    const cwd = await temporaryFolder();
    const moved = await well(exportCommand, ['--out', 'm', '--extract-secrets', 'v.env'], {
      env: envOf(to),
      cwd,
    });
    expect(moved.stderr).toMatchInlineSnapshot(`
      "Wrote 4 files to m: 3 checks.
      Moved secrets to v.env, which only you can read:
        CHECK_API_1_API_KEY: check "Api 1": URL (api_key)
        CHECK_API_1_API_KEY: check "Api 2": header X-Api-Key
        CHECK_LOGIN_3_PASSWORD: check "Login 3": script, line 3 (password)
      To compare the files with the deployment, run: sonde plan m --secrets v.env
      "
    `);
    expect((await stat(join(cwd, 'v.env'))).mode & 0o777).toBe(0o600);
  });

  it('refuses a file that exists, that git would commit, or that the plan would read', async () => {
    const to = await account();
    await PLANTS.header?.(to, 'hunter2', 1);
    const cwd = await temporaryFolder();
    const env = envOf(to);
    const run = (file: string, ...more: readonly string[]) =>
      runLine(exportCommand, ['--out', 'm', '--extract-secrets', file, ...more], { env, cwd });
    await writeFile(join(cwd, 'v.env'), 'mine');
    expect(await run('v.env', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('v.env exists'),
    });
    expect(await readFile(join(cwd, 'v.env'), 'utf8')).toBe('mine');
    expect(await readdir(cwd)).toEqual(['v.env']);
    expect(await run('v.env', '--force')).toMatchObject({ code: 0 });
    expect(await readFile(join(cwd, 'v.env'), 'utf8')).toContain('"hunter2"');
    for (const file of ['m/values.yaml', 'm/scripts/v.env', '-', '', 'm'])
      expect(await run(file), file).toMatchObject({ code: 2 });
    execFileSync('git', ['init', '-q', cwd]);
    for (const file of ['w.env', 'm/secrets.env', join(cwd, 'new/w.env')])
      expect(await run(file), file).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('git does not ignore'),
      });
    await writeFile(join(cwd, '.gitignore'), '*.env\n');
    for (const file of ['w.env', 'm/secrets.env', join(cwd, 'new/w.env')])
      expect(await run(file), file).toMatchObject({ code: 0 });
    expect(await runLine(exportCommand, ['--force'], { env, cwd })).toMatchObject({ code: 2 });
  });
});
