/** Runs `bare-loop.mjs` in a separate process. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Knot } from '../../test/support/dns/knot.ts';
import { ZONE } from './targets.ts';

/** Returns the processor time of this many checks, in s. */
export async function runBareLoop(names: Knot, count: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-bench-bare-'));
  try {
    const args = [String(names.port), `www.${ZONE}`, String(count), join(folder, 'results.db')];
    const { stdout } = await promisify(execFile)(process.execPath, ['bench/engine/bare-loop.mjs', ...args]);
    return Number(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
