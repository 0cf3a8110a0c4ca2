/** Starts the process that stands for the service, as root or as an ordinary user, lets it be attacked and gives what came of it. */
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { IsolationLevel } from '../../../src/sandbox/index.ts';
import { told } from '../support.ts';

/** Nobody's: no process and no file has it. */
const ORDINARY = 54_321;

interface AttackReport {
  readonly said: Readonly<Record<string, unknown>>;
  readonly exit: string;
  readonly during: number;
  readonly after: number;
  readonly exceeded?: string;
}

interface HostReport {
  readonly main: AttackReport;
  readonly fork: AttackReport;
  readonly fill: AttackReport;
  readonly fillTogether: AttackReport;
  readonly fillMany: AttackReport;
  readonly fillShared: AttackReport;
  readonly burnMany: AttackReport;
  readonly spin: AttackReport;
  readonly write: AttackReport;
  readonly service: { readonly signals: number; readonly calls: number; readonly otherRuns: boolean };
  readonly lacks: string;
  readonly traces: readonly string[];
  readonly jobs: readonly string[];
  readonly cells: readonly string[];
}

/** `without`: rights that the service does not have although it is root; then what the system bounds is not tried again. */
export async function attackedAt(level: IsolationLevel, without?: string): Promise<HostReport> {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-attacked-'));
  try {
    const host = join(folder, 'host.mjs');
    await build({
      entryPoints: ['test/sandbox/attack/host.ts'],
      ...{ outfile: host, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' },
    });
    const isRoot = level === 'uid';
    if (!isRoot && process.getuid?.() === 0) chownSync(folder, ORDINARY, ORDINARY);
    chmodSync(folder, 0o711);
    const attack = readFileSync('test/sandbox/attack/attack.cjs', 'utf8');
    const before = without === undefined ? [] : ['setpriv', `--bounding-set=${without}`, '--'];
    const extent = without === undefined ? 'all' : 'some';
    const [program = '', ...args] = [...before, process.execPath, host, level, folder, attack, extent];
    const child = spawn(program, args, {
      cwd: '/',
      env: { PATH: process.env.PATH, SERVICE_KEY: 'sonde-secret-environment' },
      ...(isRoot || process.getuid?.() !== 0 ? {} : { uid: ORDINARY, gid: ORDINARY }),
    });
    const { out, err } = await told(child);
    if (out === '') throw new Error(err);
    return JSON.parse(out) as HostReport;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
