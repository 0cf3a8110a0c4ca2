/** Measures the usage of a cell's processes, including those that ended between two measurements. */

import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readProcessStat, readProcessStatus, readProcFile } from './procfs.ts';

export function createUsageMeter() {
  /** Last known CPU time of each process, because the time of an unreaped process is lost. */
  const cpuSecondsByProcess = new Map<string, number>();
  return {
    /**
     * Measures these processes: their own memory, and shared memory once. `limitBytes`: memory below which an estimate
     * suffices. Shared memory (mappings, including files) and unnamed memory are measured only near it.
     */
    read(pids: readonly number[], limitBytes: number, proc = '/proc') {
      let [threads, ownBytes, sharedAtMost, ownSeconds, waitedSeconds] = [0, 0, 0, 0, 0];
      const alive: number[] = [];
      for (const pid of pids) {
        const facts = readProcessStat(pid, proc);
        if (facts === undefined) continue;
        ownSeconds += facts.cpuSeconds;
        waitedSeconds += facts.waitedSeconds;
        cpuSecondsByProcess.set(`${pid} ${facts.startedAt}`, facts.cpuSeconds);
        if (facts.isZombie) continue;
        const status = readProcessStatus(pid, proc);
        alive.push(pid);
        threads += status?.threads ?? 1;
        ownBytes += status?.ownBytes ?? 0;
        sharedAtMost += status?.sharedBytes ?? 0;
      }
      const isNearLimit = ownBytes + Math.max(sharedAtMost, maxUnnamedBytes()) > limitBytes;
      const sharedBytes = isNearLimit ? alive.reduce((sum, pid) => sum + readSharedBytes(pid, proc), 0) : 0;
      const unnamedBytes = isNearLimit ? measureUnnamedMemory(alive, proc) : 0;
      // Two lower bounds: the time that current processes used and reaped, and the sum of all last known times.
      const allSeconds = [...cpuSecondsByProcess.values()].reduce((sum, seconds) => sum + seconds, 0);
      return {
        threads,
        ownBytes,
        sharedBytes,
        unnamedBytes,
        memoryBytes: ownBytes + Math.max(sharedBytes, unnamedBytes),
        cpuSeconds: Math.max(ownSeconds + waitedSeconds, allSeconds),
      };
    },
  };
}

function readSharedBytes(pid: number, proc: string): number {
  const kilobytes = /^Pss_Shmem:\s*(\d+)/m.exec(readProcFile(`${proc}/${pid}/smaps_rollup`) ?? '')?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

/** Maximum number of descriptors to examine. A cell with more exceeds any limit. */
const MAX_DESCRIPTORS = 20_000;

/** Returns an upper bound of such memory on the whole machine, in bytes. 0: no closer measurement is needed. */
export function maxUnnamedBytes(meminfo = readProcFile('/proc/meminfo') ?? ''): number {
  const kilobytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(meminfo)?.[1] ?? 0);
  return (kilobytes('Shmem') + kilobytes('SwapTotal') - kilobytes('SwapFree')) * 1024;
}

/** Returns the bytes of such memory of these processes. Unreadable processes are ignored. */
export function measureUnnamedMemory(pids: readonly number[], proc: string): number {
  const files = new Map<string, number>();
  let descriptors = 0;
  let mapped = 0;
  for (const pid of pids) {
    const names = attempt(() => readdirSync(`${proc}/${pid}/fd`)) ?? [];
    descriptors += names.length;
    if (descriptors > MAX_DESCRIPTORS) return Number.POSITIVE_INFINITY;
    for (const name of names) {
      const path = `${proc}/${pid}/fd/${name}`;
      if (!attempt(() => readlinkSync(path))?.startsWith('/memfd:')) continue;
      const stats = attempt(() => statSync(path));
      if (stats) files.set(`${stats.dev} ${stats.ino}`, stats.blocks * 512);
    }
    mapped += measureMappings(readProcFile(`${proc}/${pid}/smaps`) ?? '', files);
  }
  return mapped + [...files.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** Returns a process's share of its shared mappings without a file or with a file that is closed everywhere. */
function measureMappings(smaps: string, files: ReadonlyMap<string, number>): number {
  let bytes = 0;
  for (const part of smaps.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)) {
    const inode = /^\S+ \S+ \S+ \S+ (\d+) +(?:\/dev\/zero \(deleted\)|\/SYSV|\/memfd:)/.exec(part)?.[1];
    if (inode === undefined || [...files.keys()].some((key) => key.endsWith(` ${inode}`))) continue;
    bytes += Number(/^Pss:\s*(\d+)/m.exec(part)?.[1] ?? 0) * 1024;
  }
  return bytes;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Returns the bytes of all files below. Ignores files that disappear. Stops counting above `maxBytes`. */
export async function measureFolder(path: string, maxBytes: number): Promise<number> {
  let sum = 0;
  const folders = [path];
  for (let current = folders.pop(); current !== undefined && sum <= maxBytes; current = folders.pop()) {
    for (const entry of await readdir(current, { withFileTypes: true }).catch(() => [])) {
      const inside = join(current, entry.name);
      if (entry.isDirectory()) folders.push(inside);
      // Allocated blocks exclude holes. Each name adds a small amount.
      const stats = await lstat(inside).catch(() => undefined);
      sum += stats ? stats.blocks * 512 + 256 : 0;
    }
  }
  return sum;
}
