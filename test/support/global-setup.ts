/** Prepares a run of the tests: the build, a folder that all processes share, and an environment without the developer's own settings. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopSharedPostgres } from './postgres-server.ts';

/**
 * Removes the developer's SONDE_ variables, so that they change no answer. Vitest calls it once for each project; the first call
 * prepares the run and returns its clean-up.
 */
export default function setup(): (() => Promise<void>) | undefined {
  if (process.env.SONDE_TEST_RUN !== undefined) return undefined;
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('SONDE_') && !name.startsWith('SONDE_TEST_')) delete process.env[name];
  }
  if (process.env.SONDE_TEST_BINARY === undefined)
    execFileSync(process.execPath, [join(import.meta.dirname, '../../scripts/build.mjs')], {
      stdio: 'inherit',
    });
  const folder = makeFolder();
  process.env.SONDE_TEST_RUN = folder;
  process.env.TMPDIR = folder;
  return async () => {
    await stopSharedPostgres(folder);
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Free memory below which temporary files stay on the disk, in bytes: installed packages and browsers take up to 2 GiB. */
const MIN_MEMORY = 4 * 1024 ** 3;

/** Makes the folder, in memory where that is possible: on a disk, the tests wait for it half of their time. */
function makeFolder(): string {
  const memory = '/dev/shm';
  for (const parent of process.env.TMPDIR === undefined ? [memory, tmpdir()] : [tmpdir()]) {
    try {
      if (parent === memory && free(memory) < MIN_MEMORY) continue;
      const folder = mkdtempSync(join(parent, 'sonde-'));
      // Checks run as other users, who pass through it.
      chmodSync(folder, 0o711);
      if (canExecute(folder)) return folder;
      rmSync(folder, { recursive: true });
    } catch {
      // No such folder: the next.
    }
  }
  throw new Error(`programs cannot be started from ${tmpdir()}: name another folder with TMPDIR`);
}

function free(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Returns whether programs can be started from a folder: containers often forbid it in memory. */
function canExecute(folder: string): boolean {
  const script = join(folder, 'probe');
  try {
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(script);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(script, { force: true });
  }
}
