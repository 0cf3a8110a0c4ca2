/** Nothing is left: neither after many runs, nor after a service that was killed while scripts ran. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { storm } from '../../bench/sandbox/storm.ts';
import { listPids, readProcFile } from '../../src/sandbox/cell/procfs.ts';
import { openSandbox } from '../../src/sandbox/index.ts';
import { eventually } from '../support/eventually.ts';
import { isRunning, ownFolder, SELF, sandboxFor } from './support.ts';

const isRoot = process.getuid?.() === 0;
/** Nobody's: no process and no file has it. */
const ORDINARY = 54_321;

it('leaves no process and no folder after forty runs', async () => {
  const left = await storm({ runs: 40, level: 'auto', self: SELF });
  expect(left).toMatchObject({ level: isRoot ? 'uid' : 'namespace', runs: 40, processes: [], folders: [] });
  expect(left.warm).toBeGreaterThan(0);
});

it('leaves nothing of a program that stops: what led it into its cell stops with it', async () => {
  const sandbox = await sandboxFor({ level: isRoot ? 'uid' : 'namespace' });
  const cell = await sandbox.open();
  const mark = `44444.${process.pid}`;
  const of = () =>
    listPids().filter((pid) => isRunning(pid) && readProcFile(`/proc/${pid}/cmdline`)?.includes(mark));
  const program = cell.spawn(['/bin/sh', '-c', 'echo begun; kill -STOP $$', mark]);
  if (program.stdout) await once(program.stdout, 'data');
  const isStopped = (pid: number) => /^State:\tT/m.test(readProcFile(`/proc/${pid}/status`) ?? '');
  await eventually(() => expect(of().every(isStopped)).toBe(true));
  expect(of().length).toBeGreaterThan(1);
  await cell.close();
  expect(of()).toEqual([]);
});

it.each(['uid', 'namespace', 'process'] as const)(
  'finds and removes at the next start what a service left that was killed at the level %s',
  async (level) => {
    const folder = ownFolder();
    const [cells, host] = [join(folder, 'own'), join(folder, 'host.mjs')];
    const isOrdinary = isRoot && level === 'namespace';
    mkdirSync(cells, { mode: 0o711 });
    chmodSync(folder, 0o711);
    if (isOrdinary) chownSync(cells, ORDINARY, ORDINARY);
    await build({
      entryPoints: ['test/sandbox/leftovers/host.ts'],
      ...{ outfile: host, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' },
    });
    const mark = `66666.${process.pid}${level.length}`;
    const of = (): number[] =>
      listPids().filter(
        (pid) => isRunning(pid) && readProcFile(`/proc/${pid}/cmdline`)?.startsWith(`sleep\0${mark}`),
      );
    const service = spawn(process.execPath, [host, level, cells, mark], {
      cwd: '/',
      stdio: ['ignore', 'pipe', 'inherit'],
      ...(isOrdinary ? { uid: ORDINARY, gid: ORDINARY } : {}),
    });
    await once(service.stdout, 'data');
    while (of().length < 2) await delay(5);
    service.kill('SIGKILL');
    await once(service, 'close');
    const [left = ''] = readdirSync(cells);
    expect(left).not.toBe('');
    if (isOrdinary) chownSync(cells, 0, 0);

    const next = await openSandbox({ level: 'process', folder: cells, self: SELF });
    // In namespaces they end with the service, at the hands of the system.
    while (level !== 'process' && of().length > 0) await delay(5);
    expect(of()).toEqual([]);
    expect(existsSync(join(cells, left))).toBe(false);
    await next.close();
    expect(existsSync(cells)).toBe(false);
  },
);
