/** Makes bundles load large packages on first use. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Packages that many bundles import and most runs do not use. Each has one bundle, which takes milliseconds or megabytes to
 * load: re2js builds the tables of Unicode.
 */
const DEFERRED = [
  ...['croner', 'fflate', 'handlebars', 'json-p3', 'nodemailer', 're2js', 'tar-fs', 'tar-stream'],
  'yaml',
];

/** Replaces an import by a module that requires the bundle of the package when an export is read. `lazyModules`: as in `splitLazy`. */
export function deferPackages(root, lazyModules, up = '../') {
  const require = createRequire(join(root, 'package.json'));
  return {
    name: 'deferred-packages',
    setup({ onResolve, onLoad, resolve }) {
      onResolve(
        { filter: new RegExp(`^(?:${DEFERRED.join('|')})$`) },
        async ({ path, kind, importer, resolveDir, pluginData }) => {
          if (pluginData !== undefined || kind === 'entry-point') return undefined;
          const resolved = await resolve(path, { kind, importer, resolveDir, pluginData: 'deferred' });
          lazyModules.set(path, resolved.path);
          return { path, namespace: 'deferred' };
        },
      );
      onResolve({ filter: /\.cjs$/, namespace: 'deferred' }, ({ path }) => ({ path, external: true }));
      onLoad({ filter: /./, namespace: 'deferred' }, ({ path }) => ({
        contents: [
          'let loaded;',
          `const load = () => (loaded ??= require('${up}lazy/${path}.cjs'));`,
          `module.exports = { ${Object.keys(require(path))
            .map((name) => `get ${name}() { return load().${name}; }`)
            .join(', ')} };`,
        ].join('\n'),
        loader: 'js',
      }));
    },
  };
}
