/** Hostile scripts in cells, at the levels that promise to keep them apart: what they see, what they write to, and what memory they take. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { SandboxDescription } from '../../src/sandbox/index.ts';
import { told } from '../sandbox/support.ts';
import { needs, skip } from '../support/needs.ts';

/** Nobody's: no process and no file has it. */
const ORDINARY = 54_321;

interface Attacked {
  readonly said: string;
  readonly exceeded?: string;
  /** Whether the service could still watch a file while the attack held what it took. */
  readonly watches?: boolean;
}

interface HostReport {
  readonly description: SandboxDescription;
  readonly reports: Readonly<Record<string, Attacked>>;
}

beforeEach((context) => {
  if (process.getuid?.() !== 0)
    skip(context, 'these attacks need root, who becomes an ordinary user for some');
});
beforeEach(needs('perl'));

/** Attacks a process that stands for the service, whose folders lie below `parent`. */
async function attackedAt(level: string, parent: string): Promise<HostReport> {
  const folder = mkdtempSync(join(parent, 'sonde-attacked-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const host = join(folder, 'host.mjs');
  await build({
    entryPoints: ['test/attacks/cells/host.ts'],
    ...{ outfile: host, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' },
  });
  for (const name of ['data', 'home', 'other', 'readable', 'readable/mounted']) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'note'), 'a note');
  }
  const isOrdinary = level === 'namespace';
  if (isOrdinary) for (const name of ['.', 'data', 'home']) chownSync(join(folder, name), ORDINARY, ORDINARY);
  chmodSync(folder, 0o755);
  // Something is mounted in what scripts read: a file system that anybody may write to.
  const mounted = `mount -t tmpfs -o size=1m,mode=1777 mounted ${folder}/readable/mounted && exec "$@"`;
  const become = isOrdinary
    ? ['setpriv', `--reuid=${ORDINARY}`, `--regid=${ORDINARY}`, '--clear-groups', '--']
    : [];
  const words = ['--mount', '--propagation', 'private', 'sh', '-c', mounted, 'sh', ...become];
  const inherited = openSync(join(folder, 'data', 'note'), 'r');
  onTestFinished(() => closeSync(inherited));
  const child = spawn('unshare', [...words, process.execPath, host, isOrdinary ? 'auto' : level, folder], {
    cwd: '/',
    env: { PATH: process.env.PATH },
    // One that Node does not know of: a script is not to have it.
    stdio: ['ignore', 'pipe', 'pipe', ...Array<'ignore'>(17).fill('ignore'), inherited],
  });
  const { out, err } = await told(child);
  if (out === '') throw new Error(err);
  return JSON.parse(out) as HostReport;
}

describe.each([
  ['uid', '/var/tmp'],
  ['namespace', '/var/tmp'],
  ['uid', '/opt'],
  ['namespace', '/opt'],
  ['namespace', '/usr/local'],
] as const)('at the level %s, with the folders of the service in %s', (level, parent) => {
  it('a script sees, changes and takes no more than it may', async () => {
    const { description, reports } = await attackedAt(level, parent);
    expect(description.level).toBe(level);
    for (const name of ['sees', 'writes', 'descriptors', 'ptrace', 'mounts'])
      expect(reports[name], name).toMatchObject({ said: '' });
    for (const name of ['memfd', 'sharedByMany', 'pageTables'])
      expect(reports[name], name).toMatchObject({ exceeded: 'memory' });
    const has = (lack: string) => description.lacks.some((one) => one.includes(lack));
    if (!has('memory cgroups')) expect(reports.sockets).toMatchObject({ exceeded: 'memory' });
    if (!has('System V')) expect(reports.systemV?.said).not.toContain('held');
    expect(reports.watchers).toMatchObject({ watches: true });
  });
});
