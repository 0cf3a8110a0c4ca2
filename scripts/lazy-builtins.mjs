/** Makes bundles load slow modules of Node on first use. */
import { createRequire } from 'node:module';

/** Modules of Node that take milliseconds to load and that most commands never use. */
const SLOW_BUILTINS = [
  'assert child_process crypto dns fs fs/promises http http2 https perf_hooks tls v8 worker_threads zlib',
].flatMap((names) => names.split(' '));

/** Replacements for modules of Node of which undici, as we use it, needs almost nothing. */
const FOR_UNDICI = {
  // undici works without HTTP/2, which would load TLS and crypto.
  http2: "throw new Error('HTTP/2 is not used');",
  // undici reads the header limit, and detects bodies that are responses of node:http.
  http: 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} };',
};

/** Returns the text of a module that loads a module of Node on first use. */
function lazyBuiltin(name) {
  // Requiring `process` would make Node read all its properties, which opens stdin.
  if (name === 'process') return 'module.exports = process;';
  const whole = createRequire(import.meta.url)(`node:${name}`);
  const load = `require('node:${name}')`;
  // A successful assertion needs nothing of the module.
  const base = name === 'assert' ? `(ok, ...rest) => { if (!ok) ${load}(ok, ...rest); }` : '{}';
  const getters = Object.keys(whole).map(
    // `performance` is a global and needs no module.
    (key) =>
      `get ${JSON.stringify(key)}() { return ${key === 'performance' ? 'globalThis' : load}[${JSON.stringify(key)}]; }`,
  );
  return `module.exports = Object.defineProperties(${base}, Object.getOwnPropertyDescriptors({\n${getters.join(',\n')}\n}));`;
}

/** Defers the loading of slow modules, which take a third of a cold start. */
export const lazyBuiltins = (instead = {}) => ({
  name: 'lazy-builtins',
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^(?:node:)?(?:process|${SLOW_BUILTINS.join('|')})$`);
    onResolve({ filter }, ({ path, namespace }) =>
      namespace === 'lazy-builtin'
        ? { path, external: true }
        : { path: path.replace(/^node:/, ''), namespace: 'lazy-builtin' },
    );
    onLoad({ filter: /./, namespace: 'lazy-builtin' }, ({ path }) => ({
      contents: instead[path] ?? lazyBuiltin(path),
      loader: 'js',
    }));
  },
});

/** The plugin for the bundle of undici. */
export const lazyBuiltinsOfUndici = lazyBuiltins(FOR_UNDICI);
