/**
 * Bundles the packages that scripts of checks can import, each into one file of `packages`, which loads fast. The build runs
 * it, and an installed sonde after npm has installed the packages.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the files by path. `folder`: contains the packages and esbuild. `versions`: of the packages, by name. */
export async function bundleScriptPackages(folder, versions) {
  const { build } = createRequire(join(folder, 'package.json'))('esbuild');
  const names = Object.keys(versions);
  const { outputFiles } = await build({
    absWorkingDir: folder,
    // `require` takes the CommonJS code of a package, whose export may be a function.
    entryPoints: names.map((name) => ({ in: `entry:${name}`, out: `packages/${name}/index` })),
    plugins: [
      {
        name: 'entries',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^entry:/ }, ({ path }) => ({ path: path.slice(6), namespace: 'entry' }));
          onLoad({ filter: /./, namespace: 'entry' }, ({ path }) => ({
            contents: `module.exports = require('${path}');`,
            resolveDir: folder,
          }));
        },
      },
    ],
    bundle: true,
    minify: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    outdir: folder,
    legalComments: 'none',
    logLevel: 'error',
    supported: { 'dynamic-import': false },
    // Packages that these load only if they are installed.
    external: ['bufferutil', 'utf-8-validate', 'encoding'],
  });
  // Playwright compiles each file whose name has the ending of code, which takes seconds for the largest packages.
  const bundles = names.map((name) => {
    const { contents } = outputFiles.find(({ path }) => path === join(folder, 'packages', name, 'index.js'));
    return [`packages/${name}/index`, toOneByte(contents)];
  });
  const manifests = names.map((name) => [
    `packages/${name}/package.json`,
    Buffer.from(JSON.stringify({ name, version: versions[name], main: './index' })),
  ]);
  return new Map([...bundles, ...manifests]);
}

/**
 * Escapes the characters beyond Latin-1 that esbuild leaves in patterns and templates: with a single one of them, V8 keeps
 * two bytes for each character of the bundle in memory.
 */
export const toOneByte = (contents) =>
  Buffer.from(
    Buffer.from(contents)
      .toString()
      .replaceAll(/[\u0100-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.cwd();
  const versions = JSON.parse(await readFile(join(folder, 'versions.json'), 'utf8'));
  for (const [path, contents] of await bundleScriptPackages(folder, versions)) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), contents);
  }
}
