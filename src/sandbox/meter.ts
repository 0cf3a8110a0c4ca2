/** What the processes of a cell use together, but for the disk: also those that have come and gone between two looks. */
import { namelessAtMost, namelessBytes } from './unnamed-memory.ts';
import { factsOf, procText, statusOf } from './procfs.ts';

export interface Together {
  readonly processes: number;
  readonly threads: number;
  /** Of each its own, and what they share once; that is looked at closely only beyond `enough`. */
  readonly memoryBytes: number;
  /** Memory of each process that is its own alone. */
  readonly ownBytes: number;
  /** What they have mapped to be shared, files included; 0 where it was not looked at. */
  readonly sharedBytes: number;
  /** What they hold in files without a name and share without a file; 0 where it was not looked at. */
  readonly namelessBytes: number;
  readonly cpuSeconds: number;
}

export interface Meter {
  /** Looks at these processes now. `enough`: bytes of memory up to which an estimate does. */
  read(pids: readonly number[], enough: number, proc?: string): Together;
}

export function createMeter(): Meter {
  /** The last that was seen of each process's own time: a process that nobody waits for takes it with it. */
  const seen = new Map<string, number>();
  return {
    read(pids, enough, proc = '/proc') {
      let [processes, threads, ownBytes, sharedAtMost, waited] = [0, 0, 0, 0, 0];
      let own = 0;
      const alive: number[] = [];
      for (const pid of pids) {
        const facts = factsOf(pid, proc);
        if (facts === undefined) continue;
        own += facts.cpuSeconds;
        waited += facts.waitedSeconds;
        seen.set(`${pid} ${facts.startedAt}`, facts.cpuSeconds);
        if (facts.isZombie) continue;
        const status = statusOf(pid, proc);
        alive.push(pid);
        processes += 1;
        threads += status?.threads ?? 1;
        ownBytes += status?.ownBytes ?? 0;
        sharedAtMost += status?.sharedBytes ?? 0;
      }
      const isClose = ownBytes + Math.max(sharedAtMost, namelessAtMost()) > enough;
      const shared = isClose ? alive.reduce((sum, pid) => sum + shareOf(pid, proc), 0) : 0;
      const nameless = isClose ? namelessBytes(alive, proc) : 0;
      // Two ways to count, neither too much: what those that are there have used and waited for, and what each was seen to use.
      const ofAll = [...seen.values()].reduce((sum, seconds) => sum + seconds, 0);
      return {
        ...{ processes, threads, ownBytes, sharedBytes: shared, namelessBytes: nameless },
        memoryBytes: ownBytes + Math.max(shared, nameless),
        cpuSeconds: Math.max(own + waited, ofAll),
      };
    },
  };
}

/** The part that falls to a process of the memory that it shares, in bytes; 0 where that is not ours to see. */
function shareOf(pid: number, proc: string): number {
  const kilobytes = /^Pss_Shmem:\s*(\d+)/m.exec(procText(`${proc}/${pid}/smaps_rollup`) ?? '')?.[1];
  return Number(kilobytes ?? 0) * 1024;
}
