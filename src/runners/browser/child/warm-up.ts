/**
 * Warms up the compiler, the browser and the test runner before there is a script, so that the script starts faster.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Runtime } from './locate-playwright.ts';

const SAMPLE = `
import { test, expect } from '@playwright/test';
interface Sample { readonly one?: string }
class Page { readonly name: string = 'x'; async open({ one }: Sample) { return one ?? this.name; } }
test('sample', async ({ page }) => {
  await page.goto('about:blank');
  await expect(page.locator('h1')).toHaveText(await new Page().open({}));
});
`;

/** Compiles a sample, because the compiler is large and slow the first time. */
export function warmUpCompiler(runtime: Runtime): void {
  runtime.loadCompiler().transformHook(SAMPLE, join(runtime.root, 'sample.spec.ts'));
}

/** Opens and closes a page, because the first page of a browser takes longest. */
export async function warmUpBrowser(browser: Browser): Promise<void> {
  const context = await browser.newContext();
  await context.tracing.start({ screenshots: true, snapshots: true });
  const page = await context.newPage();
  await page.goto('data:text/html,<title>ready</title><h1>ready</h1>');
  await page.locator('h1').textContent();
  await context.tracing.stop();
  await context.close();
}

/** Lists a sample with Playwright Test, which loads and compiles everything that a real file needs. */
export async function warmUpTestRunner(
  folder: string,
  list: (file: string, sampleFolder: string) => Promise<unknown>,
): Promise<void> {
  const sampleFolder = join(folder, 'rehearsal');
  mkdirSync(sampleFolder, { recursive: true });
  const file = join(sampleFolder, 'sample.spec.ts');
  writeFileSync(file, SAMPLE);
  await list(file, sampleFolder);
  rmSync(sampleFolder, { recursive: true, force: true });
}
