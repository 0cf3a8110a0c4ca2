/**
 * Runs a TypeScript benchmark: `node scripts/bench.mjs bench/gate/storm.ts [argument…]`. It uses a copy of dist, so that a
 * build during the run changes nothing; SONDE_TEST_BINARY names another binary.
 */
import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from './load.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [entry = '', ...args] = process.argv.slice(2);

// Below node_modules, so that the copy finds packages that are not bundled.
const cache = join(root, 'node_modules/.cache/sonde');
await mkdir(cache, { recursive: true });
const copy = process.env.SONDE_TEST_BINARY ? undefined : await mkdtemp(join(cache, 'bench-'));
try {
  if (copy) {
    // Processes with another user ID read the copy, too.
    await chmod(copy, 0o755);
    await cp(join(root, 'dist'), copy, { recursive: true });
    process.env.SONDE_TEST_BINARY = join(copy, 'sonde.cjs');
  }
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('SONDE_') && !name.startsWith('SONDE_TEST_')) delete process.env[name];
  }
  const { main } = await load(`bench-${basename(entry, '.ts')}`, { entryPoints: [join(root, entry)] });
  process.exitCode = await main(args);
} finally {
  if (copy) await rm(copy, { recursive: true, force: true });
}
