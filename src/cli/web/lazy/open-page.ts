/** Opens pages of the service in a browser, or prints their address. */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeFileAtomically } from '../../../base/files.ts';
import { createSignInLink } from '../../../contract/index.ts';
import { dataFolders } from '../../../profiles/folders.ts';
import { render } from '../../../terminal/index.ts';
import type { Deps } from '../../framework/index.ts';
import { COMMAND_NOT_FOUND, findProgram, runUserProgram } from '../../framework/run-user-program.ts';
import type { OutputContext } from '../../resources/resource.ts';

/** Programs that open an address with the user's browser, by platform; Linux has `xdg-open`. */
const OPENERS: Readonly<Record<string, string>> = { darwin: 'open', win32: 'start ""' };

/** Returns the command that opens an address; undefined if this machine has no screen or no browser. */
async function findBrowser({ env, platform }: Pick<Deps, 'env' | 'platform'>): Promise<string | undefined> {
  // A list of browsers is separated by colons, and the first one is the preferred one.
  const [chosen] = platform === 'win32' ? [env.BROWSER] : (env.BROWSER ?? '').split(':');
  if (chosen?.trim()) return chosen.trim();
  const opener = OPENERS[platform];
  if (opener !== undefined) return opener;
  const hasScreen = Boolean(env.DISPLAY) || Boolean(env.WAYLAND_DISPLAY);
  return hasScreen ? findProgram({ env }, ['xdg-open']) : undefined;
}

/**
 * Writes a file that leads to an address, and returns its URL. Every user of the machine sees the arguments of programs, and
 * the address may be a secret. Each page replaces the file of the last one.
 */
function writeRedirect({ env, home }: Deps, url: URL): string {
  const path = join(dataFolders(env, home).state, 'open.html');
  // A URL has neither quotes nor angle brackets.
  const address = url.href.replaceAll('&', '&amp;').replaceAll("'", '&#39;');
  const head = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>sonde</title>`;
  const page = `${head}<meta http-equiv="refresh" content="0; url=${address}"><p><a href="${address}">Continue</a></p>`;
  writeFileAtomically(path, `${page}\n`);
  return pathToFileURL(path).href;
}

/** Runs the browser. Returns why the address is not open; undefined if it is. */
async function openInBrowser(deps: Deps, text: string): Promise<string | undefined> {
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol)) return 'The address is not a web page';
  const browser = await findBrowser(deps);
  if (browser === undefined) return 'No browser found';
  try {
    const code = await runUserProgram(deps, browser, writeRedirect(deps, url));
    if (code === COMMAND_NOT_FOUND) return `${browser} was not found`;
    return code === 0 ? undefined : `${browser} exited with ${code ?? 'a signal'}`;
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    return `Cannot start ${browser}: ${error.message}`;
  }
}

/** An address, with the fields of the answer that created it. */
type Address = { readonly url: string } & Readonly<Record<string, unknown>>;

/** Opens an address that needs no session, or prints it if the output is no terminal or another format was requested. */
export async function openAddress(deps: Deps, { output }: OutputContext, address: Address): Promise<void> {
  const { terminal } = deps;
  const print = async (why: string) => {
    await terminal.note(`${why}. Open this address in a browser:`);
    await terminal.out(`${address.url}\n`);
  };
  if (output.format !== undefined || output.fields !== undefined)
    return render(terminal, { kind: 'item', data: address, output, columns: [{ key: 'url' }] });
  if (!terminal.stdoutIsTTY) return print('stdout is not a terminal');
  const problem = await openInBrowser(deps, address.url);
  if (problem !== undefined) return print(problem);
  await terminal.note(`Opened ${new URL(address.url).host} in your browser.`);
}

/** Opens a page of the service that needs a session, through a link that signs in once. */
export async function openPage(deps: Deps, line: OutputContext, path: string): Promise<void> {
  const { client, signal } = deps;
  const { body } = await (await client()).call(createSignInLink, { body: { path } }, { signal });
  await openAddress(deps, line, body);
}
