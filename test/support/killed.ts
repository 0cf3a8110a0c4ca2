/** Processes that acknowledge what they have done until they are killed with kill -9, over a store that outlives them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect } from 'vitest';

export interface KilledProcesses {
  /** The file of the store that they are given. */
  readonly file: string;
  /**
   * Lets one acknowledge so many lines, kills it, and gives all that it acknowledged before it died. Infinitely many: it
   * kills itself. What else is given are its arguments behind the file.
   */
  killedAfter(acknowledgements: number, ...more: readonly string[]): Promise<string[]>;
}

/** Builds the script, whose first line is `opening`, for the tests of this file. */
export function killedProcesses(script: string): KilledProcesses {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-killed-'));
  const [bundle, file] = [join(folder, 'child.cjs'), join(folder, 'store.db')];
  beforeAll(async () => {
    await build({
      entryPoints: [script],
      outfile: bundle,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['libsql', 'pg'],
      // Real imports would look for libsql beside the bundle; `require` follows NODE_PATH.
      supported: { 'dynamic-import': false },
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    file,
    async killedAfter(acknowledgements, ...more) {
      const child = spawn(process.execPath, [bundle, file, ...more], {
        env: { NODE_PATH: resolve('node_modules') },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const closed = once(child, 'close');
      const lines: string[] = [];
      createInterface({ input: child.stdout }).on('line', (line) => {
        lines.push(line);
        if (lines.length === acknowledgements + 1) child.kill('SIGKILL');
      });
      expect(await closed).toEqual([null, 'SIGKILL']);
      expect(lines[0]).toBe('opening');
      return lines.slice(1);
    },
  };
}
