/** Finds a Chromium in the folders that `playwright install` downloads to. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram } from './is-program.ts';

/** Folder of one revision. */
const REVISION = /^(chromium_headless_shell|chromium)-(\d+)$/;
/** Path of the program in that folder, which depends on the system. */
const PROGRAMS = [
  'chrome-headless-shell-linux64/chrome-headless-shell',
  'chrome-linux64/chrome',
  'chrome-linux/headless_shell',
  'chrome-linux/chrome',
  'chrome-headless-shell-mac-arm64/chrome-headless-shell',
  'chrome-headless-shell-mac-x64/chrome-headless-shell',
];
/** Playwright writes this file when a download is complete. */
const COMPLETE = 'INSTALLATION_COMPLETE';

export interface PlaywrightBrowser {
  readonly executablePath: string;
  /** Folder with all files of the browser. */
  readonly folder: string;
}

/** Returns the headless shell in preference to the full browser, and the newest revision. */
export async function findInPlaywrightFolders(
  roots: readonly string[],
): Promise<PlaywrightBrowser | undefined> {
  const revisions: { readonly folder: string; readonly number: number; readonly isShell: boolean }[] = [];
  for (const root of roots) {
    for (const name of await readdir(root).catch(() => [])) {
      const [, type, number] = REVISION.exec(name) ?? [];
      if (number === undefined) continue;
      const folder = join(root, name);
      revisions.push({ folder, number: Number(number), isShell: type !== 'chromium' });
    }
  }
  revisions.sort((one, other) => Number(other.isShell) - Number(one.isShell) || other.number - one.number);
  for (const { folder } of revisions) {
    const names: readonly string[] = await readdir(folder).catch(() => []);
    if (!names.includes(COMPLETE)) continue;
    const executablePath = await findProgram(PROGRAMS.map((path) => join(folder, path)));
    if (executablePath !== undefined) return { executablePath, folder };
  }
  return undefined;
}
