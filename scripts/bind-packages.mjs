/** Binds what our packages require themselves, at build time: an esbuild plugin for the bundles and the tests. */
import { join } from 'node:path';
import { build } from 'esbuild';

const REFUSES = `module.exports = () => { throw new Error('sonde reads no code as configuration'); };`;

/** Package → what it requires → the CommonJS text that it gets instead. */
const BINDINGS = {
  // The loaders of cosmiconfig for code and YAML, of which sonde uses none. It parses package.json, which is valid.
  cosmiconfig: {
    'import-fresh': REFUSES,
    'js-yaml': REFUSES,
    typescript: REFUSES,
    'parse-json': 'module.exports = JSON.parse;',
  },
  // The width of emoji and combining marks in a current terminal. sonde paints cells itself.
  'cli-table3': {
    'string-width': `module.exports = require('string-width').default;`,
    '@colors/colors/safe': REFUSES,
  },
};

/**
 * Returns the path of a package with its bindings, bundled for the tests. It is a CommonJS module, which Node loads as it
 * loads the package itself.
 */
export async function bundlePackage(root, name) {
  const outfile = join(root, 'node_modules/.cache/sonde/packages', `${name}.cjs`);
  await build({
    stdin: { contents: `module.exports = require('${name}');`, resolveDir: root },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    plugins: [bindPackages(root)],
    logLevel: 'warning',
  });
  return outfile;
}

export function bindPackages(root) {
  return {
    name: 'bind-packages',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[@\w]/ }, ({ path, importer, namespace }) => {
        const importingPackage = importer.replaceAll('\\', '/').match(/.*\/node_modules\/([^/]+)\//)?.[1];
        const text = namespace === 'file' ? BINDINGS[importingPackage]?.[path] : undefined;
        return text === undefined ? undefined : { path, namespace: 'binding', pluginData: text };
      });
      onLoad({ filter: /./, namespace: 'binding' }, ({ pluginData }) => ({
        contents: pluginData,
        resolveDir: root,
        loader: 'js',
      }));
    },
  };
}
