/** Bundles the packages that scripts of checks can import, each into one file of `dist/packages`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Returns the result of esbuild, and the manifest of each package by its path in dist. */
export async function bundleScriptPackages(root, common, virtualEntries) {
  const read = async (path) => JSON.parse(await readFile(join(root, path), 'utf8'));
  const packages = await read('src/contract/script-packages.json');
  const { devDependencies } = await read('package.json');
  for (const [name, version] of Object.entries(packages))
    if (devDependencies[name] !== version)
      throw new Error(
        `src/contract/script-packages.json has ${name} ${version}, package.json ${devDependencies[name]}`,
      );
  const names = Object.keys(packages);
  // `require` takes the CommonJS code of a package, whose export may be a function.
  const texts = new Map(names.map((name) => [`entry:${name}`, `module.exports = require('${name}');`]));
  const result = await build({
    ...common,
    entryPoints: names.map((name) => ({ in: `entry:${name}`, out: `packages/${name}/index` })),
    plugins: [virtualEntries(texts)],
    // Packages that these load only if they are installed.
    external: ['bufferutil', 'utf-8-validate', 'encoding'],
    // Playwright compiles each file whose name has the ending of code, which takes seconds for the largest packages.
    outExtension: { '.js': '.bundle' },
  });
  const manifests = names.map((name) => [
    `packages/${name}/package.json`,
    Buffer.from(JSON.stringify({ name, version: packages[name], main: './index' })),
  ]);
  return { result, manifests };
}

/** Returns the path of an output in dist. */
export const withoutEnding = (path) => path.replace(/^(packages\/.+)\.bundle$/, '$1');
