/** The level `process`: a clean environment, limits and a clean-up that finds what does not hide. For macOS and containers that allow no more. */
import { rm } from 'node:fs/promises';
import { MARK } from '../environment.ts';
import { folderBytes } from '../measure-folder.ts';
import { type Kill, killAll, send } from '../kill-all.ts';
import { limited, limitedByShell } from '../limit-prefix.ts';
import { createMeter } from '../meter.ts';
import { factsOf, pidsOf, procText } from '../procfs.ts';
import type { CellPlan, Description, Enclosure, Ground } from '../types.ts';

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

/** Processes in whose environment an entry is as `isIt` says. */
function marked(isIt: (mark: string) => boolean): number[] {
  const start = `${MARK}=`;
  return pidsOf().filter((pid) =>
    procText(`/proc/${pid}/environ`)
      ?.split('\0')
      .some((entry) => entry.startsWith(start) && isIt(entry.slice(start.length))),
  );
}

/** Kills what carries the mark of a service that is gone. */
export const clearMarked = (instance: string, kill: Kill): Promise<void> =>
  killAll(() => marked((mark) => mark.startsWith(`${instance}.`)), kill);

/** What is marked, what shares a session or group with `roots`, and what descends from any: as far as it can be seen. */
function kinOf(roots: ReadonlySet<number>, id: string): number[] {
  const everyone = pidsOf().flatMap((pid) => factsOf(pid) ?? []);
  const kin = new Set(marked((mark) => mark === id));
  for (let before = -1; before !== kin.size; ) {
    before = kin.size;
    for (const { pid, parent, group, session } of everyone)
      if (roots.has(session) || roots.has(group) || kin.has(parent)) kin.add(pid);
  }
  return [...kin];
}

export interface ProcessGroundOptions {
  readonly kill: Kill;
  /** Whether this is Linux, with prlimit and a /proc to look into. */
  readonly isLinux: boolean;
}

export function processGround({ kill, isLinux }: ProcessGroundOptions): Ground {
  return {
    description: DESCRIPTION,
    async enclose({ id, folder, limits }: CellPlan): Promise<Enclosure> {
      const before = isLinux ? limited(limits) : limitedByShell(limits);
      const roots = new Set<number>();
      const meter = createMeter();
      const find = (): number[] => kinOf(roots, id);
      return {
        folder,
        outside: folder,
        startIn: folder,
        enter: (argv) => [...before, ...argv] as unknown as readonly [string, ...string[]],
        started(program) {
          const { pid } = program;
          if (pid === undefined) return;
          roots.add(pid);
          // Its number may be another's from when nobody of its session is left.
          program.once('exit', () => {
            const isNeeded = pidsOf().some((other) => factsOf(other)?.session === pid);
            if (isLinux && !isNeeded) roots.delete(pid);
          });
        },
        async usage() {
          const used = meter.read(find(), limits.memoryBytes);
          return { ...used, diskBytes: await folderBytes(folder, limits.diskBytes) };
        },
        async destroy() {
          if (!isLinux) for (const pid of roots) send(kill, -pid, 'SIGKILL');
          await killAll(find, kill);
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
    close: async () => {},
  };
}
