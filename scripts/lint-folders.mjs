/**
 * Lists pairs of folders whose modules import each other: neither can be understood or moved alone. Exits with 1 if a pair is not
 * in `KNOWN`, or if a pair in it is no longer one. A folder `lazy` counts as its parent, and generated modules do not count.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Pairs to separate. The list must only become shorter. */
const KNOWN = [
  'src/contract, src/contract/resources/checks',
  'src/contract/resources, src/contract/resources/checks',
  'src/service/http/api, src/service/http/projects',
  'src/service/http/api, src/service/http/server',
  'src/service/store, src/service/store/engine',
  'src/service/store, src/service/store/migrations',
  'src/service/store, src/service/store/postgres',
  'src/terminal, src/terminal/card',
  'src/terminal, src/terminal/prompts',
];

const IMPORT = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

const folderOf = (path) => dirname(path).replaceAll(/\/lazy\b/g, '');

/** Returns `importer, imported` of each import between two folders. */
function importsOf(file) {
  const path = relative(root, file).replaceAll('\\', '/');
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)]
    .map(([, specifier]) => [folderOf(path), folderOf(join(dirname(path), specifier).replaceAll('\\', '/'))])
    .filter((pair) => pair[0] !== pair[1] && !pair.some((folder) => folder.endsWith('/generated')))
    .map((pair) => pair.join(', '));
}

const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
const imports = new Set(files.flatMap(importsOf));
const pairs = [...imports].filter((pair) => {
  const [one, other] = pair.split(', ');
  return one < other && imports.has(`${other}, ${one}`);
});
const faults = [
  ...pairs.filter((pair) => !KNOWN.includes(pair)).map((pair) => `${pair}: these folders import each other`),
  ...KNOWN.filter((pair) => !pairs.includes(pair)).map((pair) => `${pair}: no longer, remove it from KNOWN`),
];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
