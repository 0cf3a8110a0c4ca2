/** Compresses large bundles that few runs load. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

/** Lazy bundles whose decompression takes little time in comparison with what they do. */
const PACKED = [
  ...['agent-main', 'agent-scripts', 'badge-maker', 'cli-manifest-schema-schema-text', 'handlebars'],
  ...['nodemailer', 'runners-browser-install-install-browser', 'service-main', 'service-published-documents'],
].map((name) => `lazy/${name}.cjs`);
/** Below this size, in bytes, a compressed bundle saves little. */
const WORTH_PACKING = 20_000;

/** Replaces a compressed bundle. Stack traces, `require` and `__dirname` remain those of the bundle. */
const UNPACK = `const { readFileSync } = require('node:fs');
const { brotliDecompressSync } = require('node:zlib');
module._compile(brotliDecompressSync(readFileSync(__filename + '.br')).toString(), __filename);
`;

/** Compresses contents into a file, unless a build did: a large bundle takes seconds. */
async function compress(contents, file) {
  const existing = await readFile(file).catch(() => undefined);
  if (existing) return existing;
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: contents.length };
  const compressed = await promisify(brotliCompress)(contents, { params });
  await writeFile(`${file}.new`, compressed);
  await rename(`${file}.new`, file);
  return compressed;
}

/** Returns the files of dist by path, with large bundles compressed. `folder`: contains the compressed bundles of the last build. */
export async function packBundles(outputs, folder) {
  await mkdir(folder, { recursive: true });
  const used = new Set();
  const packed = await Promise.all(
    [...outputs].map(async ([path, contents]) => {
      if (!PACKED.includes(path) || contents.length < WORTH_PACKING) return [[path, contents]];
      const name = createHash('sha256').update(contents).digest('hex');
      used.add(name);
      return [
        [path, Buffer.from(UNPACK)],
        [`${path}.br`, await compress(contents, join(folder, name))],
      ];
    }),
  );
  for (const name of await readdir(folder)) if (!used.has(name)) await rm(join(folder, name));
  return new Map(packed.flat());
}
