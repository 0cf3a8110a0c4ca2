/** Cells without a network, at each level that has them: a loopback of their own, what is handed in, and nothing else. */
import { spawn } from 'node:child_process';
import { chmodSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { ownFolder, sandboxFor, told } from './support.ts';

/** Nobody's: no process and no file has it. */
const ORDINARY = 54_321;
const isRoot = process.getuid?.() === 0;

it.each(['uid', 'namespace'] as const)(
  'reaches nothing but what is handed in, at the level %s',
  async (level) => {
    const folder = ownFolder();
    const [cells, host] = [join(folder, 'cells'), join(folder, 'host.mjs')];
    const isOrdinary = isRoot && level === 'namespace';
    chmodSync(folder, 0o711);
    if (isOrdinary) chownSync(cells, ORDINARY, ORDINARY);
    await build({
      entryPoints: ['test/sandbox/network/host.ts'],
      ...{ outfile: host, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' },
    });
    const service = spawn(process.execPath, [host, level, cells], {
      cwd: '/',
      ...(isOrdinary ? { uid: ORDINARY, gid: ORDINARY } : {}),
    });
    const { out, err } = await told(service);
    expect(JSON.parse(out || JSON.stringify({ err }))).toEqual({
      ...{ machine: 'ECONNREFUSED', beyond: 'ENETUNREACH', own: 'own', handed: 'handed in' },
      ...{ calls: 0, network: 'none', isServing: false },
    });
  },
);

it('is not what the level process has, as it says', async () => {
  const sandbox = await sandboxFor({ network: 'none' });
  expect(sandbox.describe()).toMatchObject({ network: 'machine' });
  expect(sandbox.describe().lacks.join('\n')).toContain('shares the network');
});
