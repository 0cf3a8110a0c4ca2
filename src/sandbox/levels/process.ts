/** Implements the level `process`, for macOS and restricted containers: limits and a clean-up. */
import { rm } from 'node:fs/promises';
import { type Kill, killAll, sendSignal } from '../cell/kill-all.ts';
import { CELL_VARIABLE, limitPrefix, shellLimitPrefix } from '../cell/launch.ts';
import { createUsageMeter, measureFolder } from '../cell/meter.ts';
import { listPids, readProcessStat, readProcFile } from '../cell/procfs.ts';
import type { Description, LevelBackend } from '../cell/sandbox.ts';

const DESCRIPTION: Description = {
  level: 'process',
  network: 'machine',
  protects: [
    'the environment of the service is not passed on',
    'memory, CPU time, processes, the size of a file and the folder of a run are limited',
    'processes of a run are killed after the run, unless they hide',
  ],
  lacks: [
    'a script can read and write everything that the user of the service can: files, keys and the database',
    'it can signal and trace other processes of that user, including the service, and read their environment and memory',
    'a process that leaves its session and clears its environment is not killed after the run',
    'it shares the network of the machine, including services on loopback',
    'it can leave files outside its folder, which are not deleted',
  ],
};

function findMarked(matches: (mark: string) => boolean): number[] {
  const start = `${CELL_VARIABLE}=`;
  return listPids().filter((pid) =>
    readProcFile(`/proc/${pid}/environ`)
      ?.split('\0')
      .some((entry) => entry.startsWith(start) && matches(entry.slice(start.length))),
  );
}

/** Kills all processes with the mark of an ended service. */
export const killMarked = (instance: string, kill: Kill): Promise<void> =>
  killAll(() => findMarked((mark) => mark.startsWith(`${instance}.`)), kill);

/** Returns processes with the mark, in a session or group of `roots`, and their descendants, as far as visible. */
function findRelated(roots: ReadonlySet<number>, id: string): number[] {
  const processes = listPids().flatMap((pid) => readProcessStat(pid) ?? []);
  const related = new Set(findMarked((mark) => mark === id));
  for (let previousSize = -1; previousSize !== related.size; ) {
    previousSize = related.size;
    for (const { pid, parent, group, session } of processes)
      if (roots.has(session) || roots.has(group) || related.has(parent)) related.add(pid);
  }
  return [...related];
}

/** `isLinux`: whether prlimit and /proc exist. */
export function createProcessBackend(kill: Kill, isLinux: boolean): LevelBackend {
  return {
    description: DESCRIPTION,
    async enclose({ id, folder, limits }) {
      const before = isLinux ? limitPrefix(limits) : shellLimitPrefix(limits);
      const roots = new Set<number>();
      const meter = createUsageMeter();
      const listRelated = (): number[] => findRelated(roots, id);
      return {
        folder,
        hostFolder: folder,
        workingFolder: folder,
        toArgv: (argv) => [...before, ...argv],
        onStarted(program) {
          const { pid } = program;
          if (pid === undefined) return;
          roots.add(pid);
          // The PID may be reused when its session has no more processes.
          program.once('exit', () => {
            const isNeeded = listPids().some((other) => readProcessStat(other)?.session === pid);
            if (isLinux && !isNeeded) roots.delete(pid);
          });
        },
        async usage() {
          const used = meter.read(listRelated(), limits.memoryBytes);
          return { ...used, diskBytes: await measureFolder(folder, limits.diskBytes) };
        },
        async destroy() {
          if (!isLinux) for (const pid of roots) sendSignal(kill, -pid, 'SIGKILL');
          await killAll(listRelated, kill);
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
    close: async () => {},
  };
}
