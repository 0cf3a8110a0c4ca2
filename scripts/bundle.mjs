/**
 * Bundles the entry; `shared.cjs` with the program, so that each class exists once; one bundle per command; and one per
 * lazy-loaded module.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bindPackages } from './bind-packages.mjs';
import { toOneByte } from './bundle-script-packages.mjs';
import { deferPackages } from './deferred-packages.mjs';
import { lazyBuiltins, lazyBuiltinsOfUndici } from './lazy-builtins.mjs';
import { scriptPackages } from './script-packages.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Packages that get a lazy bundle when `import()` names them. Others remain in the importer's bundle. */
const LAZY_PACKAGES = ['badge-maker', 'undici', 'yaml'];

/** Returns the bundle name of a module that `import()` names; undefined if it remains in the importer's bundle. */
function lazyName(path) {
  const relativePath = relative(root, path).replaceAll('\\', '/');
  const packageName = relativePath.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1];
  if (packageName !== undefined) return LAZY_PACKAGES.includes(packageName) ? packageName : undefined;
  const modulePath = relativePath.match(/^(?:src|commands)\/(.+)\.[jt]s$/)?.[1];
  return modulePath
    ?.replace(/\/index$/, '')
    .replace(/lazy\//, '')
    .replaceAll('/', '-');
}

/** Modules that contain most of the contract: each has a lazy bundle, which the bundles of commands require. */
const CONTRACT_MODULES = ['src/contract/generated/check-type-endpoints.js', 'src/cli/manifest/kinds.ts'];

/** Lazy bundles of runs so short that the loading of slow modules of Node counts. */
const SHORT_RUN = /^(?:service-engine-local-sessions|try-shared)-/;

/** Makes modules of the command line that import `CONTRACT_MODULES` require their bundles. The service has one copy of each endpoint. */
function requireContract(lazyModules) {
  const paths = new Set(CONTRACT_MODULES.map((path) => join(root, path)));
  return {
    name: 'contract',
    setup({ onResolve }) {
      onResolve({ filter: /^\.{1,2}\// }, ({ path, importer, resolveDir }) => {
        const module = join(resolveDir, path);
        if (!paths.has(module) || importer.startsWith(join(root, 'src/service/'))) return undefined;
        lazyModules.set(lazyName(module), module);
        return { path: `../lazy/${lazyName(module)}.cjs`, external: true };
      });
    },
  };
}

/** Turns `import()` into a `require` of a sibling bundle, because esbuild does not split CommonJS. */
function splitLazy(lazyModules, up = '../') {
  return {
    name: 'lazy',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === 'lazy') return undefined;
        const at = { kind, importer, resolveDir, pluginData: 'lazy' };
        const resolved = await resolve(path, at);
        const name = resolved.errors.length > 0 || resolved.external ? undefined : lazyName(resolved.path);
        if (name === undefined) return resolved;
        lazyModules.set(name, resolved.path);
        return { path: `${up}lazy/${name}.cjs`, external: true };
      });
    },
  };
}

/**
 * The entry of the undici bundle: like the index of undici, but only with the agents that the client uses. Loading all
 * of undici takes 30 ms longer.
 */
const UNDICI_TEXT = `module.exports = {
  get Agent() { return require('undici/lib/dispatcher/agent.js'); },
  get EnvHttpProxyAgent() {
    require('undici/lib/dispatcher/dispatcher.js').prototype.connect = require('undici/lib/api/api-connect.js');
    return require('undici/lib/dispatcher/env-http-proxy-agent.js');
  },
};`;

/** Provides the entries of our bundles as texts that esbuild resolves from the root. */
function virtualEntries(texts) {
  return {
    name: 'entries',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^entry:/ }, ({ path }) => ({ path, namespace: 'entry' }));
      onLoad({ filter: /./, namespace: 'entry' }, ({ path }) => ({
        contents: texts.get(path),
        resolveDir: root,
        loader: 'ts',
      }));
    },
  };
}

/** The shared bundle contains these modules and everything that they import. */
const SHARED = [
  'src/cli/framework/host.ts',
  'src/cli/framework/index.ts',
  'src/cli/program/run-command.ts',
  'src/client/index.ts',
  'src/profiles/resolve.ts',
  'src/terminal/index.ts',
];

/** Returns a module's name in the shared bundle, which is stable across builds, so that old and new bundles are compatible. */
const nameOf = (path) => path.replace(/\.\w+$/, '').replaceAll(/\W/g, '_');

/** Redirects imports to the shared bundle. `names`: the name of each module in it, by absolute path. */
function fromShared(names) {
  return {
    name: 'shared',
    setup({ onResolve, onLoad, resolve }) {
      onResolve({ filter: /^\./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (pluginData !== undefined || importer.includes('node_modules')) return undefined;
        const resolved = await resolve(path, { kind, importer, resolveDir, pluginData: 'lazy' });
        return names.has(resolved.path) ? { path: resolved.path, namespace: 'shared' } : undefined;
      });
      onLoad({ filter: /./, namespace: 'shared' }, ({ path }) => ({
        contents: `module.exports = require('../shared.cjs').${names.get(path)};`,
        loader: 'js',
      }));
    },
  };
}

const commandText = ({ file, isAlias }) => `
import { command } from './${file}';
import { createHost } from './src/cli/framework/host.ts';
import { runCommand } from './src/cli/program/run-command.ts';
export const main = (process) => runCommand(command${isAlias ? '.alias' : ''}, createHost(process));
`;
/** A separate bundle, because it must start fast and needs little of the program. */
const ROOT_TEXT = `
import { createHost } from './src/cli/framework/host.ts';
import { runRootCommand } from './src/cli/program/root-command.ts';
export const main = (process) => runRootCommand(createHost(process));
`;

/** A separate bundle, because the user waits for completion. */
const COMPLETE_TEXT = `export { answerShell } from './src/cli/completion/answer-shell.ts';`;

/**
 * Bundles everything. Returns the files of dist by path, and the inputs of each. `hasSourceMaps`: each bundle has a map,
 * and characters that the map would not count stay as they are.
 */
export async function bundle(files, { hasSourceMaps = false } = {}) {
  const { version, dependencies, optionalDependencies, peerDependencies } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  );
  const lazy = new Map();
  const external = [
    ...Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }),
    'pg-native',
    'typescript',
  ];
  const common = {
    absWorkingDir: root,
    bundle: true,
    minify: true,
    sourcemap: hasSourceMaps && 'linked',
    sourcesContent: false,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    external: [...external, '../shared.cjs'],
    define: {
      SONDE_VERSION: JSON.stringify(version),
    },
    legalComments: 'none',
    logLevel: 'warning',
    supported: { 'dynamic-import': false },
  };
  const results = [];
  /** Bundles entries from texts, by their name in dist. */
  const bundleTexts = async (texts, plugins) => {
    const entryPoints = Object.keys(texts).map((out) => ({ in: `entry:${out}`, out }));
    const entries = virtualEntries(
      new Map(Object.entries(texts).map(([out, text]) => [`entry:${out}`, text])),
    );
    const result = await build({ ...common, entryPoints, plugins: [...plugins, entries] });
    results.push(result);
    return result;
  };

  const seeds = SHARED.map((path) => `export * as ${nameOf(path)} from './${path}';`).join('\n');
  const reached = await build({
    ...common,
    stdin: { contents: seeds, resolveDir: root },
    plugins: [splitLazy(new Map())],
    treeShaking: false,
  });
  const modules = Object.keys(reached.metafile.inputs).filter((path) => /^(?:src|commands)\//.test(path));
  const names = new Map(modules.map((path) => [join(root, path), nameOf(path)]));
  const sharedText = modules.map((path) => `export * as ${nameOf(path)} from './${path}';`).join('\n');
  const commandTexts = Object.fromEntries(
    files.map((file) => [`commands/${file.name.replace(' ', '-')}`, commandText(file)]),
  );
  await Promise.all([
    build({
      ...common,
      entryPoints: {
        sonde: 'bin/sonde.ts',
        keyring: 'bin/keyring.ts',
        browser: 'bin/browser.ts',
        evaluator: 'bin/evaluator.ts',
        suite: 'bin/suite.ts',
        agentic: 'bin/agentic.ts',
      },
      banner: { js: '#!/usr/bin/env node' },
      plugins: [splitLazy(lazy, './'), deferPackages(root, lazy, './')],
    }).then((result) => results.push(result)),
    bundleTexts({ 'commands/_root': ROOT_TEXT, 'commands/_complete': COMPLETE_TEXT }, [
      splitLazy(lazy),
      lazyBuiltins(),
    ]),
    bundleTexts({ shared: sharedText }, [
      splitLazy(lazy, './'),
      deferPackages(root, lazy, './'),
      lazyBuiltins(),
    ]),
    bundleTexts(commandTexts, [
      splitLazy(lazy),
      requireContract(lazy),
      fromShared(names),
      deferPackages(root, lazy),
      lazyBuiltins(),
    ]),
  ]);
  await bundleTexts({ 'lazy/undici': UNDICI_TEXT }, [lazyBuiltinsOfUndici]);
  lazy.delete('undici');
  // A lazy bundle can load other lazy bundles.
  for (let done = new Set(); done.size < lazy.size; ) {
    const added = [...lazy].filter(([name]) => !done.has(name));
    for (const isShort of [true, false]) {
      const part = added.filter(([name]) => SHORT_RUN.test(name) === isShort);
      results.push(
        await build({
          ...common,
          entryPoints: part.map(([name, path]) => ({ in: path, out: `lazy/${name}` })),
          plugins: [
            splitLazy(lazy),
            requireContract(lazy),
            fromShared(names),
            deferPackages(root, lazy),
            bindPackages(root),
            ...(isShort ? [lazyBuiltins()] : []),
          ],
        }),
      );
    }
    done = new Set([...done, ...added.map(([name]) => name)]);
  }
  const outputs = await scriptPackages(root);
  const inputs = new Map();
  for (const { outputFiles, metafile } of results) {
    for (const { path, contents } of outputFiles) {
      const output = relative(join(root, 'dist'), path).replaceAll('\\', '/');
      outputs.set(output, hasSourceMaps ? Buffer.from(contents) : toOneByte(contents));
    }
    for (const [path, { inputs: parts }] of Object.entries(metafile.outputs)) {
      inputs.set(path.replace(/^dist\//, ''), Object.keys(parts));
    }
  }
  return { outputs, inputs };
}
