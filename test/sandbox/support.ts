/** A sandbox for tests: this process's own, with a folder of its own, closed at the end. */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readProcessStat } from '../../src/sandbox/cell/procfs.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';

export const SELF = {
  pid: process.pid,
  execPath: process.execPath,
  kill: (pid: number, signal: NodeJS.Signals | 0) => void process.kill(pid, signal),
};

export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-sandbox-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'cells'), { mode: 0o711 });
  return folder;
}

export async function sandboxFor(options: Partial<SandboxOptions>): Promise<Sandbox> {
  const sandbox = await openSandbox({
    level: 'process',
    folder: join(ownFolder(), 'cells'),
    self: SELF,
    ...options,
  });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** What a program said and how it ended. */
export async function told(
  child: ChildProcess,
): Promise<{ out: string; err: string; code: number | null; by: string | null }> {
  const texts = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    texts.out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    texts.err += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, by) => resolve({ ...texts, code, by }));
  });
}

/** Whether a process runs; one that has ended and waits for its parent does not. */
export function isRunning(pid: number): boolean {
  const facts = readProcessStat(pid);
  return facts !== undefined && !facts.isZombie;
}
