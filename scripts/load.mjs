/** Loads our TypeScript modules into a script. */
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Bundles the input of esbuild (`entryPoints` or `stdin`) into the cache under this name, and imports it. */
export async function load(name, input) {
  const outfile = join(root, 'node_modules/.cache/sonde', `${name}.mjs`);
  await build({
    ...input,
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'warning',
  });
  return import(`${pathToFileURL(outfile).href}?${Date.now()}`);
}
