/** Uploads a Playwright project. */
import { basename, resolve } from 'node:path';
import { plural } from '../../../../src/base/phrases.ts';
import type { Deps } from '../../../../src/cli/framework/index.ts';
import { uploadCodeBundle } from '../../../../src/contract/index.ts';
import { type PackOptions, packSuite } from './pack.ts';

/** Returns the ID of the code bundle. `named`: the folder as the user wrote it. */
export async function uploadSuite(deps: Deps, named: string, choice: PackOptions = {}): Promise<string> {
  const { client, terminal, signal, cwd, env } = deps;
  const { archive, files } = await packSuite(resolve(cwd, named), named, env, choice);
  const api = await client();
  signal.throwIfAborted();
  const { body } = await api.call(
    uploadCodeBundle,
    { body: { archive: archive.toString('base64') } },
    { signal },
  );
  const kilobytes = Math.max(1, Math.round(archive.length / 1024));
  await terminal.note(`Sent ${basename(resolve(cwd, named))} (${plural(files, 'file')}, ${kilobytes} kB).`);
  return body.id;
}
