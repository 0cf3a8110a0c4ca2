/** Selects isolation levels by name, and tests each on this machine. */

import type { ChildProcess } from 'node:child_process';
import { platform } from 'node:os';
import { UsageError } from '../../base/errors.ts';
import { createCell } from '../cell/cell.ts';
import { getOwnIds } from '../cell/procfs.ts';
import {
  type CellPlan,
  type Description,
  type IsolationLevel,
  LEVELS,
  type LevelBackend,
  SandboxError,
  type SandboxOptions,
  STANDARD_LIMITS,
  type Unavailable,
} from '../cell/sandbox.ts';
import { createNamespaceBackend } from './namespace.ts';
import { createProcessBackend } from './process.ts';
import { createUidBackend, createUidOnlyBackend } from './uid.ts';

const isLinux = platform() === 'linux';

/**
 * Returns the requested level, or the first that works. `folder`: creates a new folder for each test. Throws UsageError
 * if the requested level is not available, and SandboxError if no level is.
 */
export async function selectLevel(
  options: SandboxOptions,
  folder: (name: string) => Promise<string>,
): Promise<{ readonly backend: LevelBackend; readonly unavailable: readonly Unavailable[] }> {
  const levels: readonly IsolationLevel[] = options.level === 'auto' ? LEVELS : [options.level];
  const unavailable: Unavailable[] = [];
  for (const level of levels) {
    const backendOrReason = await tryLevel(level, options, folder);
    if (typeof backendOrReason !== 'string') return { backend: backendOrReason, unavailable };
    unavailable.push({ level, reason: backendOrReason });
  }
  if (options.level === 'auto')
    throw new SandboxError(
      `No isolation level is available: ${unavailable.map(({ level, reason }) => `${level}: ${reason}`).join('; ')}`,
    );
  throw new UsageError(`The isolation level "${options.level}" is not available: ${unavailable[0]?.reason}`, {
    hint: '--isolation auto selects the strongest level of this machine',
  });
}

async function tryLevel(
  level: IsolationLevel,
  options: SandboxOptions,
  folder: (name: string) => Promise<string>,
): Promise<LevelBackend | string> {
  const isRoot = getOwnIds().uid === 0;
  switch (level) {
    case 'uid':
      if (!isLinux) return 'requires Linux';
      if (!isRoot) return 'the service does not run as root';
      return tryUid().catch(toReason);
    case 'namespace':
      if (!isLinux) return 'requires Linux';
      if (isRoot) return 'the service runs as root: use "uid"';
      return probeBackend(createNamespaceBackend(options));
    case 'process':
      return createProcessBackend(options.self.kill, isLinux);
    default:
      return level satisfies never;
  }

  /** The reason why this machine lacks the level; other errors are thrown. */
  function toReason(error: unknown): string {
    if (error instanceof SandboxError) return error.message;
    throw error;
  }

  /** Tests separate root file systems for each run, and then user IDs alone. */
  async function tryUid(): Promise<LevelBackend | string> {
    const ownRoot = await probeBackend(await createUidBackend(options));
    if (typeof ownRoot !== 'string') return ownRoot;
    const why = ownRoot.replace(/^cannot create a cell: /, '');
    const backend = await createUidOnlyBackend(options, why, await folder('try-uid-lent'));
    const uidOnly = await probeBackend(backend, '-alone');
    return typeof uidOnly === 'string' ? `${ownRoot}; without a separate file system: ${uidOnly}` : uidOnly;
  }

  /** Runs a program in the level and checks its rights. */
  async function probeBackend(backend: LevelBackend, variant = ''): Promise<LevelBackend | string> {
    const { description } = backend;
    try {
      const id = `try-${level}${variant}`;
      const plan: CellPlan = { id, folder: await folder(id), limits: STANDARD_LIMITS, readable: [] };
      const cell = createCell(plan, await backend.enclose(plan), () => {});
      try {
        await cell.write('look', 'it is mine');
        const { execPath } = options.self;
        const output = await readOutput(
          cell.spawn([execPath, '-e', PROBE_SCRIPT, '--', ...(options.hidden ?? [])]),
        );
        const { network, lacks } = description;
        const why = findIsolationFailure(output, network, variant !== '', options.readable);
        if (why === undefined)
          return {
            ...backend,
            description: { ...description, lacks: [...lacks, ...listProbeLacks(output)] },
          };
        await backend.close();
        return why;
      } finally {
        await cell.close();
      }
    } catch (error) {
      await backend.close();
      return toReason(error);
    }
  }
}

/** Script that prints its own rights as JSON. It needs only Node. */
const PROBE_SCRIPT = `
const { spawnSync } = require('node:child_process');
const { accessSync, constants, readFileSync, readdirSync, writeFileSync } = require('node:fs');
const status = readFileSync('/proc/self/status', 'utf8');
const field = (name) => new RegExp('^' + name + ':\\\\s*(.*)$', 'm').exec(status)[1];
const read = (path) => { try { return readFileSync(path, 'utf8').trim(); } catch { return ''; } };
const ITS_OWN = ['/cell', '/tmp', '/var/tmp', '/dev/shm', '/proc'];
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'].map((name) => '/dev/' + name);
const mounts = read('/proc/self/mountinfo').split('\\n').map((line) => line.split(' '));
let writable = mounts.filter((mount) => !mount[5].split(',').includes('ro')).map((mount) => mount[4]);
writable = writable.filter((at) => ![...ITS_OWN, ...DEVICES].includes(at));
try { writeFileSync('/usr/sonde-look', ''); writable.push('/usr'); } catch {}
writable = writable.slice(0, 3);
console.log(JSON.stringify({
  ids: field('Uid').split(/\\s+/).map(Number),
  capabilities: ['CapPrm', 'CapEff', 'CapInh', 'CapAmb'].map(field).join(' '),
  noNewPrivileges: field('NoNewPrivs'),
  processes: readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length,
  file: readFileSync('look', 'utf8'),
  writable,
  mounts: spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'true']).status === 0,
  sharesMemory: read('/proc/sys/kernel/shmmni') !== '0',
  shown: process.argv.slice(1).map((path) => {
    try { accessSync(path, constants.R_OK); return { path, names: readdirSync(path) }; }
    catch (error) { return { path, names: error.code === 'ENOTDIR' ? [''] : [] }; }
  }),
  routed: [['route', 0], ['ipv6_route', 9]].flatMap(([table, at]) => {
    try { return readFileSync('/proc/net/' + table, 'utf8').trim().split('\\n').map((line) => line.trim().split(/\\s+/)[at]); } catch { return []; }
  }).filter((device) => device && device !== 'Iface' && device !== 'lo'),
}));
`;

function readOutput(program: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let output = '';
    for (const stream of [program.stdout, program.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output = `${output}${text}`.slice(-4000);
      });
    program.once('error', (error) => resolve(error.message));
    program.once('close', () => resolve(output));
  });
}

interface ProbeReport {
  readonly ids: readonly number[];
  readonly capabilities: string;
  readonly noNewPrivileges: string;
  readonly processes: number;
  readonly file: string;
  /** Writable mounts besides the cell's own. */
  readonly writable: readonly string[];
  readonly mounts: boolean;
  readonly sharesMemory: boolean;
  /** Paths that should be hidden, with the names that were readable in them; an empty name for a readable file. */
  readonly shown: readonly { readonly path: string; readonly names: readonly string[] }[];
  /** Network devices with routes, except loopback. */
  readonly routed: readonly string[];
}

function listProbeLacks(probeOutput: string): string[] {
  const { mounts, sharesMemory } = JSON.parse(probeOutput) as ProbeReport;
  return [
    ...(mounts ? ['a script can mount file systems, whose contents are not limited'] : []),
    ...(sharesMemory ? ['System V shared memory is limited only while it is mapped'] : []),
  ];
}

/**
 * Returns why the program is not isolated, by its report; undefined if it is. `isUidOnly`: user IDs alone isolate it, so
 * that it sees everything that every user sees. `readable`: paths that must be readable, even within hidden ones.
 */
function findIsolationFailure(
  probeOutput: string,
  network: Description['network'],
  isUidOnly: boolean,
  readable: readonly string[] = [],
): string | undefined {
  let report: ProbeReport;
  try {
    report = JSON.parse(probeOutput) as ProbeReport;
  } catch {
    return `the test program could not run: ${probeOutput.trim().split('\n').slice(-3).join('; ') || 'it ended without output'}`;
  }
  if (report.ids.includes(0)) return 'the test program ran as root';
  if (/[1-9a-f]/.test(report.capabilities)) return 'the test program kept capabilities';
  if (report.noNewPrivileges !== '1') return 'the test program could gain privileges';
  const read = report.shown.find(({ path, names }) => {
    const within = readable.flatMap((one) =>
      one.startsWith(`${path}/`) ? [one.slice(path.length + 1).split('/')[0]] : [],
    );
    return names.some((name) => !within.includes(name));
  });
  if (read !== undefined) return `the test program could read ${read.path}`;
  if (report.processes > 5 && !isUidOnly) return 'the test program saw other processes';
  if (report.writable.length > 0 && !isUidOnly)
    return `the test program could write into the system: ${report.writable[0]}`;
  if (network === 'none' && report.routed.length > 0) return 'the test program had a network';
  return report.file === 'it is mine' ? undefined : 'the test program did not find its folder';
}
