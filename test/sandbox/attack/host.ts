/**
 * A process that stands for the service: it has a store, a profile, a secret in its environment and in its memory, a socket
 * and a pipe, and another cell beside the one in which it is attacked. Prints what the attacks came to, as JSON.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { listPids, readProcFile } from '../../../src/sandbox/cell/procfs.ts';
import type { Cell, CellLimits, IsolationLevel } from '../../../src/sandbox/index.ts';
import { openSandbox } from '../../../src/sandbox/index.ts';

const [level = 'process', folder = '', attack = '', extent = 'all'] = process.argv.slice(2);
const MB = 1e6;

const secret = (kind: string): string => ['sonde', 'secret', kind].join('-');
const data = join(folder, 'data');
mkdirSync(data, { mode: 0o700 });
const files = { store: join(data, 'service.db'), profile: join(data, 'config.yaml') };
writeFileSync(files.store, secret('store'), { mode: 0o600 });
writeFileSync(files.profile, secret('profile'), { mode: 0o600 });
const inMemory = Buffer.from(secret('memory'));
const pipe = join(data, 'pipe');
execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', pipe]);
const socket = join(data, 'socket');
let calls = 0;
const server = createServer((client) => {
  client.on('error', () => {}).destroy();
  calls += 1;
}).listen(socket);
let signals = 0;
for (const signal of ['SIGUSR2', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    signals += 1;
  });

const sandbox = await openSandbox({
  level: level as IsolationLevel,
  folder: join(folder, 'cells'),
  hidden: [data],
  self: {
    pid: process.pid,
    execPath: process.execPath,
    kill: (pid, signal) => void process.kill(pid, signal),
  },
});
const { lacks } = sandbox.describe();
const other = await sandbox.open();
await other.write('note', secret('other'));
const waiting = other.spawn(['/bin/sleep', '600'], { stdio: 'ignore' });
const otherFolder = existsSync(other.folder) ? other.folder : `${folder}/cells`;

const trace = `sonde-trace-${process.pid}`;
const outside = [
  ...['/tmp', '/var/tmp', '/dev/shm', '/run', '/run/lock', '/var/spool/cron', '/var/spool/cron/crontabs'],
  ...['/var/spool/at', '/etc/cron.d', '/etc/systemd/system', '/etc/profile.d', '/usr/local/bin', '/usr/lib'],
  ...['/root', '/home', '/opt', '/var/lib', '/', folder, data],
];
const markOf = (how: string): string => `98765.${process.pid}${how.length}`;
const aim = (how: string) => ({
  ...{ how, ...files, pipe, socket, otherFolder, trace, outside },
  servicePid: process.pid,
  mark: markOf(how),
  // Where nothing holds it back, it is not to bring down the machine of the tests.
  isKind: level === 'process',
});

/** How many processes of the machine an attack has left: by what they are called with. */
const left = (how: string): number =>
  listPids().filter((pid) => readProcFile(`/proc/${pid}/cmdline`)?.includes(markOf(how))).length;

interface Attacked {
  readonly said: unknown;
  readonly exit: string;
  readonly during: number;
  readonly after: number;
  readonly exceeded: string | undefined;
}

async function attacked(how: string, limits: Partial<CellLimits> = {}, waitFor: 'word' | 'end' = 'end') {
  const cell: Cell = await sandbox.open(limits);
  const program = cell.spawn([process.execPath, '-e', attack, '--', JSON.stringify(aim(how))]);
  let text = '';
  let error = '';
  const word = new Promise<void>((resolve) => {
    program.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      resolve();
    });
  });
  program.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    error = `${error}${piece}`.slice(-2000);
  });
  const end = new Promise<string>((resolve) => {
    // What it said last may still be on its way; what it left behind may hold its end for ever.
    program.once('exit', (code, signal) => setTimeout(resolve, 3000, signal ?? `exit ${code}`).unref());
    program.once('close', (code, signal) => resolve(signal ?? `exit ${code}`));
  });
  const exit = await (waitFor === 'word' ? Promise.race([word.then(() => 'runs'), end]) : end);
  const during = left(how);
  const exceeded = cell.exceeded();
  await cell.close();
  const report: Attacked = {
    ...{ said: text === '' ? error : JSON.parse(text), exit, during, exceeded },
    after: left(how),
  };
  return report;
}

const isHeld = level !== 'process';
const isWhole = extent === 'all';
const report = {
  main: await attacked('main'),
  fork: isHeld ? await attacked('fork', { processes: 64 }, 'word') : undefined,
  fill: isWhole ? await attacked('fill', { memoryBytes: 300 * MB }) : undefined,
  fillTogether: isHeld && isWhole ? await attacked('fillTogether', { memoryBytes: 300 * MB }) : undefined,
  fillMany: isHeld && isWhole ? await attacked('fillMany', { memoryBytes: 300 * MB }) : undefined,
  fillShared: isHeld && isWhole ? await attacked('fillShared', { memoryBytes: 300 * MB }) : undefined,
  burnMany: isHeld && isWhole ? await attacked('burnMany', { cpuSeconds: 2 }) : undefined,
  spin: isWhole ? await attacked('spin', { cpuSeconds: 1 }) : undefined,
  write: isHeld ? await attacked('write', { diskBytes: 50 * MB }) : undefined,
};
const service = {
  signals,
  calls,
  memory: inMemory.length,
  otherRuns: waiting.exitCode === null,
};
await sandbox.close();
server.close();
const traces = outside.map((where) => join(where, trace)).filter((path) => existsSync(path));
for (const path of traces) rmSync(path);
const CRONTABS = '/var/spool/cron/crontabs';
const jobs = (process.getuid?.() === 0 && existsSync(CRONTABS) ? readdirSync(CRONTABS) : []).filter((name) =>
  readProcFile(join(CRONTABS, name))?.includes(trace),
);
const cells = existsSync(join(folder, 'cells')) ? readdirSync(join(folder, 'cells')) : [];
console.log(JSON.stringify({ ...report, lacks: lacks.join(), service, traces, jobs, cells }));
