/** Finds the browser for tests and benches: an installed one, or the one of the development packages. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from '../../src/runners/browser/find-browser.ts';

/** Tests and benches start in the root of the project. */
const from = join(process.cwd(), 'package.json');

/** Returns the path of a browser. Throws if there is none. */
export async function chromiumPath(): Promise<string> {
  const found = await findBrowser({ env: process.env, from, execPath: process.execPath, folder: tmpdir() });
  if ('problem' in found) throw new Error(found.problem);
  return found.executablePath;
}
