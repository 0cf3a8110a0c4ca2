/**
 * Bundles: the entry; `shared.cjs`, which holds the program, so that each of its classes exists once and lies on the disk
 * once; one bundle a command; and one for each module that is loaded on demand.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { lazyBuiltins, lazyBuiltinsOfUndici } from './lazy-builtins.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Packages that get a lazy bundle of their own where `import()` names them. Others stay in their importer's. */
const LAZY_PACKAGES = ['yaml', 'proper-lockfile'];

/** The name of the bundle of a module that `import()` names; undefined where it stays in its importer's bundle. */
function lazyName(path) {
  const here = relative(root, path).replaceAll('\\', '/');
  const inPackage = here.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1];
  if (inPackage !== undefined) return LAZY_PACKAGES.includes(inPackage) ? inPackage : undefined;
  const ours = here.match(/^(?:src|commands)\/(.+)\.ts$/)?.[1];
  return ours
    ?.replace(/\/index$/, '')
    .replace(/lazy\//, '')
    .replaceAll('/', '-');
}

/** In CommonJS `import()` alone splits nothing off: here it becomes a `require` of a sibling bundle. */
function splitLazy(found, up = '../') {
  return {
    name: 'lazy',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === 'lazy') return undefined;
        const at = { kind, importer, resolveDir, pluginData: 'lazy' };
        const resolved = await resolve(path, at);
        const name = resolved.errors.length > 0 || resolved.external ? undefined : lazyName(resolved.path);
        if (name === undefined) return resolved;
        found.set(name, resolved.path);
        return { path: `${up}lazy/${name}.cjs`, external: true };
      });
    },
  };
}

/** Modules of undici that `import()` names: all in one lazy bundle, since no two copies of it understand each other. */
function oneUndici(found, up) {
  return {
    name: 'undici',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^undici\// }, ({ path, kind, namespace }) => {
        if (kind !== 'dynamic-import' || namespace === 'entry') return undefined;
        found.add(path);
        return { path, namespace: 'undici' };
      });
      onLoad({ filter: /./, namespace: 'undici' }, ({ path }) => ({
        contents: `module.exports = require('${up}lazy/undici.cjs')[${JSON.stringify(path)}];`,
        loader: 'js',
      }));
    },
  };
}
const undiciText = (paths) =>
  `module.exports = {\n${[...paths].map((path) => `get ${JSON.stringify(path)}() { return require(${JSON.stringify(path)}); }`).join(',\n')}\n};`;

/** The entry of a bundle of ours, as a text that stands in the root. */
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

/** What every command needs: these modules, and all that they import. */
const SHARED = [
  'src/cli/framework/host.ts',
  'src/cli/framework/index.ts',
  'src/cli/program/run-command.ts',
  'src/client/index.ts',
  'src/profiles/resolve.ts',
  'src/terminal/index.ts',
];

/** The name of a module in the shared bundle: the same from build to build, so that old and new bundles fit together. */
const nameOf = (path) => path.replace(/\.\w+$/, '').replaceAll(/\W/g, '_');

/** A module of the shared bundle, where another bundle imports it. `names`: module by absolute path → its name there. */
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
import { hostOf } from './src/cli/framework/host.ts';
import { runCommand } from './src/cli/program/run-command.ts';
export const main = (process) => runCommand(command${isAlias ? '.alias' : ''}, hostOf(process));
`;
/** On its own: what it prints is wanted at once, and needs little of the program. */
const ROOT_TEXT = `
import { hostOf } from './src/cli/framework/host.ts';
import { runRoot } from './src/cli/program/root-command.ts';
export const main = (process) => runRoot(hostOf(process));
`;

/** On its own, too: a person waits at the key. */
const COMPLETE_TEXT = `export { answer } from './src/cli/completion/answer.ts';`;

/**
 * Where newer versions are published: a package that names its registry and its repository is asked for there. Without both
 * nobody is asked, since who else might have the name.
 */
function releaseOf({ name, repository, publishConfig }) {
  const url = repository?.url ?? repository;
  return url && publishConfig?.registry ? { name, repository: url, registry: publishConfig.registry } : null;
}

/**
 * Bundles everything. Gives the files of dist by path, and what each is made of (esbuild's inputs). `changes`: fields of
 * package.json to be taken otherwise.
 */
export async function bundle(files, changes = {}) {
  const manifest = { ...JSON.parse(await readFile(join(root, 'package.json'), 'utf8')), ...changes };
  const { version, dependencies, optionalDependencies } = manifest;
  const lazy = new Map();
  const undici = new Set();
  const external = [...Object.keys({ ...dependencies, ...optionalDependencies }), 'pg-native', 'typescript'];
  const common = {
    absWorkingDir: root,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    external: [...external, '../shared.cjs', './lazy/undici.cjs'],
    define: {
      SONDE_VERSION: JSON.stringify(version),
      SONDE_RELEASE: JSON.stringify(releaseOf(manifest)),
    },
    legalComments: 'none',
    logLevel: 'warning',
    supported: { 'dynamic-import': false },
  };
  const results = [];
  /** Bundles entries (by name in dist) whose texts stand in the root. */
  const bundleTexts = async (texts, plugins) => {
    const entryPoints = Object.keys(texts).map((out) => ({ in: `entry:${out}`, out }));
    const entries = virtualEntries(
      new Map(Object.entries(texts).map(([out, text]) => [`entry:${out}`, text])),
    );
    const result = await build({ ...common, entryPoints, plugins: [...plugins, entries] });
    results.push(result);
    return result;
  };

  const seeds = SHARED.map((path) => `import './${path}';`).join('\n');
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
        update: 'bin/update.ts',
        browser: 'bin/browser.ts',
        judge: 'bin/judge.ts',
        suite: 'bin/suite.ts',
        agentic: 'bin/agentic.ts',
      },
      banner: { js: '#!/usr/bin/env node' },
      plugins: [splitLazy(lazy, './')],
    }).then((result) => results.push(result)),
    bundleTexts({ 'commands/_root': ROOT_TEXT, 'commands/_complete': COMPLETE_TEXT }, [
      splitLazy(lazy),
      lazyBuiltins(),
    ]),
    bundleTexts({ shared: sharedText }, [oneUndici(undici, './'), splitLazy(lazy, './'), lazyBuiltins()]),
    bundleTexts(commandTexts, [splitLazy(lazy), fromShared(names), lazyBuiltins()]),
  ]);
  await bundleTexts({ 'lazy/undici': undiciText(undici) }, [lazyBuiltinsOfUndici]);
  // A lazy bundle may load others lazy.
  for (let done = new Set(); done.size < lazy.size; ) {
    const fresh = [...lazy].filter(([name]) => !done.has(name));
    const entryPoints = fresh.map(([name, path]) => ({ in: path, out: `lazy/${name}` }));
    results.push(await build({ ...common, entryPoints, plugins: [splitLazy(lazy), fromShared(names)] }));
    done = new Set([...done, ...fresh.map(([name]) => name)]);
  }
  const outputs = new Map();
  const inputs = new Map();
  for (const { outputFiles, metafile } of results) {
    for (const { path, contents } of outputFiles) {
      outputs.set(relative(join(root, 'dist'), path).replaceAll('\\', '/'), Buffer.from(contents));
    }
    for (const [path, { inputs: parts }] of Object.entries(metafile.outputs)) {
      inputs.set(path.replace(/^dist\//, ''), Object.keys(parts));
    }
  }
  return { outputs, inputs };
}
