/** Reads process data from Linux's /proc, which may belong to another PID namespace. Other systems have none. */
import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';

export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly isZombie: boolean;
  /** Start time in ticks after boot. Together with the PID it identifies a process. */
  readonly startedAt: string;
  readonly cpuSeconds: number;
  /** CPU time of reaped children and their descendants. */
  readonly waitedSeconds: number;
}

/** Ticks per second, on every architecture of Linux. */
const TICKS_PER_SECOND = 100;

export function listPids(proc = '/proc'): number[] {
  try {
    return readdirSync(proc)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Returns a small file of /proc; undefined if it is gone or not readable. */
export function readProcFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

export function readProcessStat(pid: number, proc = '/proc'): ProcessStat | undefined {
  const text = readProcFile(`${proc}/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name is in brackets and may contain anything, including brackets.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group, session] = fields;
  const seconds = (...indexes: number[]) =>
    indexes.reduce((sum, one) => sum + Number(fields[one] ?? 0), 0) / TICKS_PER_SECOND;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    isZombie: state === 'Z' || state === 'X',
    startedAt: fields[19] ?? '0',
    cpuSeconds: seconds(11, 12),
    waitedSeconds: seconds(13, 14),
  };
}

export interface ProcessStatus {
  /** Real, effective, saved and file system IDs. */
  readonly uids: readonly number[];
  readonly threads: number;
  /** Own memory in bytes, including swapped memory and page tables. */
  readonly ownBytes: number;
  readonly sharedBytes: number;
}

export function readProcessStatus(pid: number, proc = '/proc'): ProcessStatus | undefined {
  const text = readProcFile(`${proc}/${pid}/status`);
  if (text === undefined) return undefined;
  const field = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(text)?.[1] ?? '';
  const bytes = (name: string): number => Number.parseInt(field(name) || '0', 10) * 1024;
  return {
    uids: field('Uid').split(/\s+/).map(Number),
    threads: Number(field('Threads') || 0),
    ownBytes: bytes('RssAnon') + bytes('VmSwap') + bytes('VmPTE'),
    sharedBytes: bytes('RssShmem'),
  };
}

/** Returns the IDs of this process, even if they are not in the user database, as in containers. */
export function getOwnIds(): { readonly uid: number; readonly gid: number } {
  const ids = (name: string): number[] =>
    new RegExp(`^${name}:\\s*(.*)$`, 'm')
      .exec(readProcFile('/proc/self/status') ?? '')?.[1]
      ?.split(/\s+/)
      .map(Number) ?? [];
  const [, uid] = ids('Uid');
  const [, gid] = ids('Gid');
  return uid === undefined || gid === undefined ? userInfo() : { uid, gid };
}

const CLOSE_ON_EXEC = 0o2000000;

/** Closes the descriptors. Call it at the start of a process, before it opens a file. */
export function closeInheritedFiles(): void {
  let names: string[];
  try {
    names = readdirSync('/proc/self/fdinfo');
  } catch {
    // Not Linux.
    return;
  }
  for (const name of names) {
    const flags = /^flags:\s*(\d+)/m.exec(readProcFile(`/proc/self/fdinfo/${name}`) ?? '')?.[1];
    const isInherited = flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
    if (Number(name) > 2 && isInherited) closeSync(Number(name));
  }
}

/** Returns the count since boot; 0 if the system does not count. */
export function countOomKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
