/** Runs Prometheus' blackbox_exporter on the targets of the benchmark. It schedules and stores nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.ts';
import { findProgram } from '../../test/support/needs.ts';
import { processorSeconds } from '../gate/process.ts';
import type { Kind } from './kinds.ts';
import { load } from './load.ts';
import type { Targets } from './targets.ts';
import { until } from './world.ts';

const PROGRAM = 'prometheus-blackbox-exporter';
const WARM_UP = 500;

export interface Blackbox {
  /** Requests a probe. */
  readonly url: string;
  /** Returns the processor time since its start, in s. */
  cpu(): number;
}

/**
 * Runs it with the module of a kind, warmed up, until `work` ends.
 * @throws Error if it is not installed or a probe fails.
 */
export async function withBlackbox<T>(
  kind: Kind,
  targets: Targets,
  work: (blackbox: Blackbox) => Promise<T>,
): Promise<T> {
  const program = findProgram(PROGRAM);
  if (program === undefined) throw new Error(`${PROGRAM} is not installed: apt-get install ${PROGRAM}`);
  const folder = await mkdtemp(join(tmpdir(), 'sonde-bench-blackbox-'));
  const file = join(folder, 'blackbox.json');
  await writeFile(file, JSON.stringify({ modules: { bench: { ...kind.module(targets), timeout: '5s' } } }));
  const port = await freePort();
  const flags = [`--config.file=${file}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'];
  const child = spawn(program, flags, { stdio: ['ignore', 'ignore', 'inherit'] });
  const closed = once(child, 'close');
  try {
    const url = `http://127.0.0.1:${port}/probe?module=bench&target=${encodeURIComponent(kind.probed(targets))}`;
    const succeeds = async () => /^probe_success 1$/m.test(await (await fetch(url)).text());
    await until(() => succeeds().catch(() => false), 100, 10_000);
    await load([url], {}, WARM_UP);
    return await work({ url, cpu: () => processorSeconds(child.pid ?? 0) ?? Number.NaN });
  } finally {
    child.kill();
    await closed;
    await rm(folder, { recursive: true, force: true });
  }
}
