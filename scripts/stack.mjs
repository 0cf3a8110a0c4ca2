/**
 * Reads text from stdin, such as a bug report, and names the source of each frame of a bundle. It needs a build of the same
 * commit with source maps: `node scripts/build.mjs --source-maps`. An argument names another folder than `dist`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const [dist = fileURLToPath(new URL('../dist', import.meta.url))] = process.argv.slice(2);

/** A position in a bundle of any installation. Lines and columns start at 1. */
const POSITION = /[^\s()]*\/dist\/([\w./-]+\.cjs):(\d+):(\d+)/g;

const maps = new Map();

/** Returns the source map of a bundle; undefined if the build has none. */
function mapOf(bundle) {
  const file = join(dist, `${bundle}.map`);
  if (!maps.has(bundle) && existsSync(file))
    maps.set(bundle, new SourceMap(JSON.parse(readFileSync(file, 'utf8'))));
  return maps.get(bundle);
}

/** Returns the position in the source; the given position if there is no map for it. */
function sourceOf(position, bundle, line, column) {
  const { fileName, lineNumber, columnNumber } =
    mapOf(bundle)?.findOrigin(Number(line), Number(column)) ?? {};
  if (fileName === undefined) return position;
  const source = relative(dirname(dist), resolve(dist, dirname(bundle), fileName));
  return `${source}:${lineNumber}:${columnNumber}`;
}

process.stdout.write((await text(process.stdin)).replaceAll(POSITION, sourceOf));
