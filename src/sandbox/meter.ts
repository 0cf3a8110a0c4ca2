/** What the processes of a cell use together, but for the disk: also those that have come and gone between two looks. */

import { readProcessStat, readProcessStatus, readProcFile } from './procfs.ts';
import { maxUnnamedBytes, measureUnnamedMemory } from './unnamed-memory.ts';

export interface CombinedUsage {
  readonly processes: number;
  readonly threads: number;
  /** Of each its own, and what they share once; that is looked at closely only beyond `enough`. */
  readonly memoryBytes: number;
  /** Memory of each process that is its own alone. */
  readonly ownBytes: number;
  /** What they have mapped to be shared, files included; 0 where it was not looked at. */
  readonly sharedBytes: number;
  /** What they hold in files without a name and share without a file; 0 where it was not looked at. */
  readonly unnamedBytes: number;
  readonly cpuSeconds: number;
}

export interface UsageMeter {
  /** Looks at these processes now. `enough`: bytes of memory up to which an estimate does. */
  read(pids: readonly number[], limitBytes: number, proc?: string): CombinedUsage;
}

export function createUsageMeter(): UsageMeter {
  /** The last that was seen of each process's own time: a process that nobody waits for takes it with it. */
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
      // Two ways to count, neither too much: what those that are there have used and waited for, and what each was seen to use.
      const allSeconds = [...cpuSecondsByProcess.values()].reduce((sum, seconds) => sum + seconds, 0);
      return {
        ...{ processes, threads, ownBytes, sharedBytes: shared, unnamedBytes: unnamed },
        memoryBytes: ownBytes + Math.max(shared, unnamed),
        cpuSeconds: Math.max(ownSeconds + waitedSeconds, allSeconds),
      };
    },
  };
}

/** The part that falls to a process of the memory that it shares, in bytes; 0 where that is not ours to see. */
function readSharedBytes(pid: number, proc: string): number {
  const kilobytes = /^Pss_Shmem:\s*(\d+)/m.exec(readProcFile(`${proc}/${pid}/smaps_rollup`) ?? '')?.[1];
  return Number(kilobytes ?? 0) * 1024;
}
