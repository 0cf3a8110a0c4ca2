/** A script that leaves a process behind ends as Node would end it; a Playwright that hides its open calls is a monitor error. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listPids, readProcFile } from '../../../src/sandbox/cell/procfs.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { detailsOf, openRunner, type TestRunner } from './support.ts';

const TEST = "import { test } from '@playwright/test';";

let checks: TestRunner;
beforeAll(async () => {
  checks = await openRunner();
});
afterAll(() => checks.close());

it('waits for a process that goes on, as Node would, and ends one that was left to itself, and says so of both', async () => {
  const spawn = "require('child_process').spawn('sleep', ['54321'], { stdio: 'ignore', detached: true })";
  const [held, left] = await Promise.all([
    checks.run({ script: spawn }, { timeoutMs: 40_000 }),
    checks.run({ script: `${spawn}.unref();` }),
  ]);
  expect(held).toMatchObject({ hasFailures: true, hasErrors: false });
  expect(held.errors[0]).toBe(
    'the script did not end within 30 s: a process that it started is still running: sleep 54321',
  );
  expect(left).toMatchObject({ hasFailures: false, errors: [] });
  expect(detailsOf(left).console.map(({ text }) => text)).toEqual([
    'still running at the end of the script: sleep 54321',
  ]);
  const ofTest = await checks.run({ script: `${TEST} test('a', () => { ${spawn}.unref(); });` });
  expect(ofTest).toMatchObject({ hasFailures: false, errors: [] });
  const lines = listPids().map((pid) => readProcFile(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ') ?? '');
  expect(lines.filter((line) => line.startsWith('sleep 54321'))).toEqual([]);
});

it('is an error of ours where Playwright no longer tells which calls are under way', async () => {
  const runtimes = await temporaryFolder();
  const packages = join(runtimes, '2025.04/node_modules');
  for (const name of ['@playwright/test', 'playwright', 'playwright-core'])
    cpSync(join('node_modules', name), join(packages, name), { recursive: true, filter: isNeeded });
  const library = join(packages, 'playwright-core/lib/coreBundle.js');
  writeFileSync(library, readFileSync(library, 'utf8').replaceAll('_callbacks', '_calls'));
  const other = await openRunner({ runtimes });
  const script = "require('playwright').chromium.launch().then((browser) => browser.newPage());";
  const attempt = await other.run({ script, runtimeId: '2025.04' });
  await other.close();
  expect(attempt).toMatchObject({ hasFailures: false, hasErrors: true });
  expect(attempt.errors[0]).toMatch(/^this version of Playwright does not report pending calls/);
});

/** Not the pages by which traces are looked at. */
const isNeeded = (path: string) => !path.includes('/vite/');
