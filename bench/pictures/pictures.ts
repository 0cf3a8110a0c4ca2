/**
 * Takes pictures of every page and every e-mail, for people to look at: `npm run pictures -- FOLDER [name…]`. Pages at 390,
 * 1280 and 2560 px, e-mails at 390 and 600 px, each in light and dark.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { EVERY_EMAIL } from '../../test/service/http/pages/every-email.ts';
import { everyPage } from '../../test/service/http/pages/every-page.ts';
import { chromiumPath } from '../../test/support/chromium.ts';

const SCHEMES = ['light', 'dark'] as const;
const PAGE_WIDTHS = [390, 1280, 2560];
const LETTER_WIDTHS = [390, 600];
const HEIGHT = 800;

async function take(page: Page, folder: string, name: string, widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: HEIGHT });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
  }
}

async function takeAll(browser: Browser, folder: string, wanted: (name: string) => boolean): Promise<number> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  await page.setContent('<h1 style="font:600 64px sans-serif">A shop</h1><p>What the browser showed.</p>');
  const all = await everyPage({ picture: await page.screenshot() });
  try {
    const names = Object.values(all.names).flat().filter(wanted);
    for (const name of names) {
      await all.open(page, name);
      await take(page, folder, name, PAGE_WIDTHS);
    }
    const letters = Object.entries(EVERY_EMAIL).filter(([name]) => wanted(`letter-${name}`));
    // What the pages may not do holds for all that their window shows later.
    const letter = await browser.newPage();
    for (const [name, { html }] of letters) {
      await letter.setContent(html);
      await take(letter, folder, `letter-${name}`, LETTER_WIDTHS);
    }
    return names.length + letters.length;
  } finally {
    await all.close();
  }
}

export async function main([folder, ...only]: readonly string[]): Promise<number> {
  if (folder === undefined) {
    console.error('Name the folder that the pictures go to: npm run pictures -- FOLDER [name…]');
    return 2;
  }
  await mkdir(folder, { recursive: true });
  const browser = await chromium.launch({ executablePath: await chromiumPath(), args: ['--no-sandbox'] });
  try {
    const wanted = (name: string) => only.length === 0 || only.includes(name);
    console.log(`${await takeAll(browser, folder, wanted)} pages and e-mails are in ${folder}`);
    return 0;
  } finally {
    await browser.close();
  }
}
