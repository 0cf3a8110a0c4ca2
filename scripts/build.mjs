/**
 * Builds dist: the compiled contract, the manifest of commands, and the bundles. `--force` also builds if nothing changed
 * since the last build. `--source-maps` adds source maps, which the next build without it removes.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { generate } from './generate.mjs';
import { licencesOf } from './licences.mjs';
import { lock } from './lock.mjs';
import { manPages } from './man.mjs';
import { commandFiles, writeManifest } from './manifest.mjs';
import { packBundles } from './pack-bundles.mjs';
import { sbomOf } from './sbom.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const stampFile = join(dist, '.stamp');
const cache = join(root, 'node_modules/.cache/sonde');
const SOURCES = [
  'bin',
  'commands',
  'src',
  'scripts',
  'docs/openapi.json',
  'docs/monitoring.schema.json',
  'package.json',
  'package-lock.json',
];

/** Returns a hash of the options, and of the names, sizes and times of all sources: equal stamps mean equal builds. */
async function stampOf({ hasSourceMaps }) {
  const hash = createHash('sha256').update(`${hasSourceMaps}\n`);
  const visit = async (path) => {
    const entry = await stat(path);
    if (entry.isDirectory()) {
      for (const name of (await readdir(path)).sort())
        if (name !== 'generated') await visit(join(path, name));
    } else hash.update(`${relative(root, path)} ${entry.size} ${entry.mtimeMs}\n`);
  };
  for (const source of SOURCES) if (existsSync(join(root, source))) await visit(join(root, source));
  return hash.digest('hex');
}

async function isUpToDate(stamp) {
  if (!existsSync(stampFile) || !existsSync(join(root, 'src/contract/generated/endpoints.js'))) return false;
  return (await readFile(stampFile, 'utf8')) === stamp;
}

/** Replaces a file atomically, so that a sonde that is just starting finds the old or the new file. */
async function replaceFile(path, contents, mode) {
  const target = join(dist, path);
  if (existsSync(target) && Buffer.compare(await readFile(target), contents) === 0) return;
  await mkdir(dirname(target), { recursive: true });
  const temporary = `${target}.${process.pid}`;
  await writeFile(temporary, contents);
  if (mode) await chmod(temporary, mode);
  await rename(temporary, target);
}

async function removeFilesExcept(paths) {
  for (const folder of ['', 'commands', 'lazy', 'man', 'man/man1', 'man/man7']) {
    const path = join(dist, folder);
    if (!existsSync(path)) continue;
    for (const entry of await readdir(path, { withFileTypes: true })) {
      const name = join(folder, entry.name);
      if (entry.isFile() && entry.name !== '.stamp' && !paths.has(name))
        await rm(join(dist, name), { force: true });
    }
  }
}

/** Builds unless nothing changed. Returns the commands, and the files of dist with their inputs; undefined without a build. */
export async function build({ force = false, hasSourceMaps = false } = {}) {
  const options = { force, hasSourceMaps };
  if (!force && (await isUpToDate(await stampOf(options)))) return undefined;
  await mkdir(cache, { recursive: true });
  // A concurrent build waits for this one and then finds nothing to do.
  const release = await lock(`${cache}/build.lock`);
  try {
    return await buildLocked(options);
  } finally {
    await release();
  }
}

/** Returns the version and date of the man pages; SOURCE_DATE_EPOCH (seconds) makes builds reproducible. */
async function manPageEdition() {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const seconds = process.env.SOURCE_DATE_EPOCH;
  return { version, date: seconds ? new Date(Number(seconds) * 1000) : new Date() };
}

async function buildLocked(options) {
  const stamp = await stampOf(options);
  if (!options.force && (await isUpToDate(stamp))) return undefined;
  await generate();
  const files = await commandFiles();
  const { commands, framework } = await writeManifest(files);
  const { outputs: bundles, inputs } = await bundle(files, options);
  const outputs = options.hasSourceMaps ? bundles : await packBundles(bundles, join(cache, 'packed'));
  const bundled = [...inputs.values()].flat();
  outputs.set('LICENSES.txt', Buffer.from(await licencesOf(root, bundled)));
  outputs.set('sbom.cdx.json', Buffer.from(await sbomOf(root, bundled)));
  for (const [path, text] of manPages(commands, framework, await manPageEdition()))
    outputs.set(path, Buffer.from(text));
  for (const [path, contents] of outputs)
    await replaceFile(path, contents, path === 'sonde.cjs' ? 0o755 : undefined);
  await removeFilesExcept(new Set(outputs.keys()));
  await writeFile(stampFile, stamp);
  return { commands, inputs, outputs };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const started = performance.now();
  const built = await build({
    force: process.argv.includes('--force'),
    hasSourceMaps: process.argv.includes('--source-maps'),
  });
  if (built) {
    const bytes = [...built.outputs.values()].reduce((sum, { length }) => sum + length, 0);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`dist: ${built.commands.length} commands, ${(bytes / 1e6).toFixed(1)} MB, ${seconds} s`);
  }
}
