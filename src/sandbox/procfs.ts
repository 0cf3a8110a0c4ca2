/** What Linux tells of processes in a /proc, which may be one of another PID namespace. Elsewhere there is none, and nothing to tell. */
import { readdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';

export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly isZombie: boolean;
  /** Ticks after boot at which it started: with the pid, what tells it from a later one. */
  readonly startedAt: string;
  /** Its own CPU time. */
  readonly cpuSeconds: number;
  /** That of children which it has waited for, and of theirs. */
  readonly waitedSeconds: number;
}

/** Ticks in a second, on every architecture of Linux. */
const TICKS_PER_SECOND = 100;

/** The ids of all processes that a /proc shows; none where it is gone. */
export function listPids(proc = '/proc'): number[] {
  try {
    return readdirSync(proc)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** A small file of a /proc, or undefined where it is gone or not ours to read. */
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
  // The name stands in brackets and may hold anything, brackets too.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group, session] = fields;
  const seconds = (...at: number[]) =>
    at.reduce((sum, one) => sum + Number(fields[one] ?? 0), 0) / TICKS_PER_SECOND;
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
  /** Real, effective, saved and file system's. */
  readonly uids: readonly number[];
  readonly threads: number;
  /** Memory that is its own alone, in bytes: also what was swapped out, and the tables that say where it all is. */
  readonly ownBytes: number;
  /** Memory that others may share, in bytes. */
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

/** Whose this process is: also where no list of users has that id, as in containers. */
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
