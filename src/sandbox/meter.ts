/**
 * Measures the combined usage of a cell's processes, except for the disk, including processes that ended between two
 * measurements.
 */

import { readProcessStat, readProcessStatus, readProcFile } from './procfs.ts';
import { maxUnnamedBytes, measureUnnamedMemory } from './unnamed-memory.ts';

export interface CombinedUsage {
  readonly processes: number;
  readonly threads: number;
  /** Own memory of each process, and shared memory once. Shared memory is measured only near `limitBytes`. */
  readonly memoryBytes: number;
  /** Memory that belongs to single processes. */
  readonly ownBytes: number;
  /** Shared mappings, including files; 0 if not measured. */
  readonly sharedBytes: number;
  /** Memory of files without a name and of mappings without a file; 0 if not measured. */
  readonly unnamedBytes: number;
  readonly cpuSeconds: number;
}

export interface UsageMeter {
  /** Measures these processes. `limitBytes`: memory below which an estimate suffices. */
  read(pids: readonly number[], limitBytes: number, proc?: string): CombinedUsage;
}

export function createUsageMeter(): UsageMeter {
  /** Last known CPU time of each process, because the time of an unreaped process is lost. */
  const cpuSecondsByProcess = new Map<string, number>();
  return {
    read(pids, enough, proc = '/proc') {
      let [processes, threads, ownBytes, sharedAtMost, waitedSeconds] = [0, 0, 0, 0, 0];
      let ownSeconds = 0;
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
        processes += 1;
        threads += status?.threads ?? 1;
        ownBytes += status?.ownBytes ?? 0;
        sharedAtMost += status?.sharedBytes ?? 0;
      }
      const isNearLimit = ownBytes + Math.max(sharedAtMost, maxUnnamedBytes()) > enough;
      const shared = isNearLimit ? alive.reduce((sum, pid) => sum + readSharedBytes(pid, proc), 0) : 0;
      const unnamed = isNearLimit ? measureUnnamedMemory(alive, proc) : 0;
      // Two lower bounds: the time that current processes used and reaped, and the sum of all last known times.
      const allSeconds = [...cpuSecondsByProcess.values()].reduce((sum, seconds) => sum + seconds, 0);
      return {
        processes,
        threads,
        ownBytes,
        sharedBytes: shared,
        unnamedBytes: unnamed,
        memoryBytes: ownBytes + Math.max(shared, unnamed),
        cpuSeconds: Math.max(ownSeconds + waitedSeconds, allSeconds),
      };
    },
  };
}

/** Returns a process's share of its shared memory, in bytes; 0 if it is not readable. */
function readSharedBytes(pid: number, proc: string): number {
  const kilobytes = /^Pss_Shmem:\s*(\d+)/m.exec(readProcFile(`${proc}/${pid}/smaps_rollup`) ?? '')?.[1];
  return Number(kilobytes ?? 0) * 1024;
}
