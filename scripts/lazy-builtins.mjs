/** Parts of Node that a command's bundles load when they first use them, and not before. */
import { createRequire } from 'node:module';

/** Parts of Node that take milliseconds to load and that most command lines never use. */
const SLOW_BUILTINS = [
  'assert child_process crypto dns fs fs/promises http http2 https perf_hooks tls v8 worker_threads zlib',
].flatMap((names) => names.split(' '));

/** What stands for parts of Node of which undici, as we use it, needs next to nothing. */
const FOR_UNDICI = {
  // It does without where this is missing, and is never asked for HTTP/2, which brings TLS and all of crypto along.
  http2: "throw new Error('HTTP/2 is not used');",
  // It reads the limit on headers, and tells bodies apart that are answers of node:http.
  http: 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} };',
};

/** A part of Node that is loaded when something of it is first used. */
function lazyBuiltin(name) {
  // To require what is a global anyway makes Node read every property of it, which opens stdin.
  if (name === 'process') return 'module.exports = process;';
  const whole = createRequire(import.meta.url)(`node:${name}`);
  const load = `require('node:${name}')`;
  // A check that holds needs nothing of it.
  const base = name === 'assert' ? `(ok, ...rest) => { if (!ok) ${load}(ok, ...rest); }` : '{}';
  const getters = Object.keys(whole).map(
    // `performance` is a global: it needs no loading.
    (key) =>
      `get ${JSON.stringify(key)}() { return ${key === 'performance' ? 'globalThis' : load}[${JSON.stringify(key)}]; }`,
  );
  return `module.exports = Object.defineProperties(${base}, Object.getOwnPropertyDescriptors({\n${getters.join(',\n')}\n}));`;
}

/** Puts off the loading of Node's slow parts: of a cold start they are a third. */
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

/** For the bundle of undici. */
export const lazyBuiltinsOfUndici = lazyBuiltins(FOR_UNDICI);
