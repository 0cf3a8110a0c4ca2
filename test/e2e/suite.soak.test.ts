/** A Playwright project that is sent for one test, as people do it: the built binary, the service, an agent, real tests. */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startAgent } from '../support/agents.ts';
import { bareEnv, sonde, startSonde } from '../support/binary.ts';
import { type E2eService, startE2eService } from '../support/e2e.ts';
import { temporaryFolder } from '../support/folder.ts';

let service: E2eService;
beforeAll(async () => {
  service = await startE2eService();
});
afterAll(() => service.close());

const CONFIG =
  "import { defineConfig } from '@playwright/test';\nexport default defineConfig({ testDir: 'tests' });\n";
const GOOD = `
import { test, expect } from '@playwright/test';
test('runs as a test', () => expect(process.env).toMatchObject({ CI: 'true', SONDE: '1', HOST: 'shop.test' }));
`;
const BAD = `${GOOD}
test('is closed', () => expect('open', 'the door').toBe('closed'));
test.skip('later', () => {});
`;
const LONG = `${GOOD}
test('takes its time', async () => { test.setTimeout(0); await new Promise(() => {}); });
`;

async function filesIn(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** A folder with a project of these tests in `e2e`. */
async function project(tests: string): Promise<string> {
  const folder = await temporaryFolder();
  await filesIn(folder, { 'e2e/playwright.config.ts': CONFIG, 'e2e/tests/shop.spec.ts': tests });
  return folder;
}
const line = (location: string) => [
  ...['test-sessions', 'run', '--suite', 'e2e', '--run-location', location, '--env', 'HOST=shop.test'],
];
const newest = async () =>
  (await service.make<{ entries: readonly Record<string, unknown>[] }>('GET /v1/test-sessions?limit=1'))
    .entries[0];

it('fails the gate where a test fails, says which, and leaves no check: through an agent', async () => {
  const { keys } = await service.make<{ keys: readonly { rawKey: string }[] }>('POST /v1/private-locations', {
    ...{ name: 'cellar', slugName: 'cellar' },
  });
  const home = await temporaryFolder();
  const agent = await startAgent({ key: keys[0]?.rawKey ?? '', url: service.url, home }, []);
  onTestFinished(() => void agent.child.kill('SIGKILL'));
  const cwd = await project(BAD);
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', cwd, '-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args]);
  git('init', '-q', '-b', 'trunk');
  git('add', '.');
  git('commit', '-q', '-m', 'Close the shop');
  const { code, stdout, stderr } = await sonde([...line('cellar'), '--report', 'junit:r.xml'], {
    ...{ env: service.env, cwd },
  });
  expect(code, stderr).toBe(1);
  expect(stdout).toMatch(/^FAILED\te2e\tcellar\tFAILED\t/);
  expect(stderr).toMatch(/^✗ e2e at cellar: shop\.spec\.ts › is closed: Error: the door \(took [\d.]+s\)$/m);
  expect(stderr).toContain('Error: e2e failed at cellar: 1 of 3 tests failed\n');
  const report = await readFile(join(cwd, 'r.xml'), 'utf8');
  expect(report).toContain('<testsuite name="e2e" tests="3" failures="1" errors="0" skipped="1"');
  expect(report).toContain('<testcase classname="e2e at cellar" name="shop.spec.ts › is closed"');
  expect(report).not.toContain('null');
  const session = await newest();
  expect(session).toMatchObject({
    ...{ name: 'e2e', status: 'FAILED', errorGroupIds: [] },
    metadata: { branchName: 'trunk', commitOwner: 'Ann', commitMessage: 'Close the shop' },
    results: [{ checkId: null, name: 'e2e', runLocation: 'cellar', hasFailures: true }],
  });
  const page = await (await fetch(String(session?.testSessionLink))).text();
  expect(page).toContain('is closed');
  expect(page).not.toMatch(/>\s*null\s*</);
  expect(await service.make('GET /v1/checks')).toEqual([]);
  expect(await service.make('GET /v2/check-sessions')).toMatchObject({ length: 0 });
  const exported = await sonde(['service', 'export'], { env: service.env });
  expect([exported.code, exported.stdout]).toEqual([0, expect.not.stringContaining('archive')]);
});

it('passes though the service is killed meanwhile, and prints the session', async () => {
  const gate = startSonde([...line('eu-west-1'), '--name', 'Shop', '--json'], {
    ...{ env: service.env, cwd: await project(GOOD) },
  });
  await gate.saw('Started test session Shop');
  await service.kill();
  await service.start();
  const { code, stdout, stderr } = await gate.ended;
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ name: 'Shop', status: 'PASSED' },
    results: [{ name: 'Shop', playwrightCheckResult: { counts: { passed: 1, failed: 0 } } }],
  });
  expect(stderr).toMatch(/Shop passed at eu-west-1 in .*: 1 test passed\n$/);
});

it('is cancelled where the command is interrupted', async () => {
  const gate = startSonde(line('eu-west-1'), { env: service.env, cwd: await project(LONG) });
  await gate.saw('Started test session e2e');
  gate.child.kill('SIGINT');
  const { code, stderr } = await gate.ended;
  expect(code, stderr).toBe(130);
  expect(stderr).toMatch(/\nCancelled: e2e/);
  expect(stderr).not.toContain('Still running');
  const { testSessionId } = (await newest()) ?? {};
  const ended = await service.make(`GET /v1/test-sessions/${testSessionId}/completion?maxWaitSeconds=30`);
  expect(ended).toMatchObject({ status: 'CANCELLED' });
});

it('sends nothing where there is no suite, and says what is missing', async () => {
  const cwd = await temporaryFolder();
  await filesIn(cwd, { 'e2e/package.json': '{"name": "shop"}' });
  const before = await service.make('GET /v1/code-bundles');
  const run = (...more: readonly string[]) =>
    sonde([...line('eu-west-1'), ...more], { env: bareEnv(service.home), cwd });
  for (const [more, said] of [
    [[], 'Error: cannot send e2e: the folder has no playwright.config.ts\n'],
    [['--playwright-config-path', 'pw.ts'], 'the configuration pw.ts is not among the files to send\n'],
    [['--tag', 'smoke'], '--suite cannot be combined with check IDs, --tag or --all'],
    [['-o', 'plain'], '-o plain requires --no-wait\n'],
    [['--no-wait', '--report', 'junit:r.xml'], '--report requires --wait'],
  ] as const) {
    const { code, stdout, stderr } = await run(...more);
    expect(code, stderr).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(said);
  }
  expect(await service.make('GET /v1/code-bundles')).toEqual(before);
});
