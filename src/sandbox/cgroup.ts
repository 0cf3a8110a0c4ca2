/** Memory cgroups: where this process may make some, the system itself bounds what a cell holds, wherever it holds it. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readProcFile } from './procfs.ts';

/** The bound of one cell. */
export interface MemoryCgroup {
  /** The words before a program's own by which it and all that it starts belong to it. */
  readonly enterPrefix: readonly string[];
  /** Whether the system had to end a program of it. */
  hasOomKill(): boolean;
  /** Removes it; call it once its programs have ended. */
  remove(): Promise<void>;
}

export interface MemoryCgroups {
  make(name: string, bytes: number): MemoryCgroup;
  /** Removes what a service that is gone left. */
  clear(instance: string): void;
  close(): void;
}

/** The files of both versions. */
const VERSIONS = {
  2: { limit: 'memory.max', swap: ['memory.swap.max', '0'], events: 'memory.events' },
  1: { limit: 'memory.limit_in_bytes', swap: ['memory.swappiness', '0'], events: 'memory.oom_control' },
} as const;

interface OwnCgroup {
  readonly version: keyof typeof VERSIONS;
  readonly folder: string;
}

/** Looks and limits differ by what the system itself holds for programs: of what a cell may take, so much more. */
const LIMIT_MARGIN = 1 / 8;
const REMOVAL = { tries: 50, everyMs: 10 };
const SERVICE_CGROUP = 'sonde-service';

/** The memory cgroup that this process is in; undefined where there is none to be seen. */
export function findOwnCgroup(
  cgroups = readProcFile('/proc/self/cgroup') ?? '',
  mountinfo = readProcFile('/proc/self/mountinfo') ?? '',
): OwnCgroup | undefined {
  const mounts = mountinfo.split('\n').map((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', at = ''] = before.split(' ');
    const [type = '', , options = ''] = after.split(' ');
    return { root, at, type, options: options.split(',') };
  });
  for (const line of cgroups.split('\n')) {
    const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    const version = controllers === '' ? 2 : 1;
    if (path === '' || (version === 1 && !controllers.split(',').includes('memory'))) continue;
    const mount = mounts.find(({ type, options }) =>
      version === 2 ? type === 'cgroup2' : type === 'cgroup' && options.includes('memory'),
    );
    if (mount === undefined) continue;
    const inMount = path.startsWith(mount.root)
      ? path.slice(mount.root === '/' ? 0 : mount.root.length)
      : '/';
    const folder = join(mount.at, inMount);
    if (version === 1 || hasMemoryController(join(folder, 'cgroup.controllers'))) return { version, folder };
  }
  return undefined;
}

const hasMemoryController = (path: string): boolean =>
  (readProcFile(path) ?? '').trim().split(' ').includes('memory');

/** Undefined where this process may make none. `instance`: the mark of this service; `pid`: this process. */
export function openMemoryCgroups(
  instance: string,
  pid: number,
  own = findOwnCgroup(),
): MemoryCgroups | undefined {
  if (own === undefined) return undefined;
  const basePath = (one: string): string => join(own.folder, `sonde-cells-${one}`);
  const base = basePath(instance);
  const files = VERSIONS[own.version];
  try {
    if (own.version === 2) enableMemoryController(own.folder, pid);
    // A process may open several sandboxes.
    mkdirSync(base, { recursive: true });
    if (own.version === 2) writeFileSync(join(base, 'cgroup.subtree_control'), '+memory');
  } catch {
    succeeds(() => rmdirSync(base));
    return undefined;
  }

  return {
    make(name, bytes) {
      const folder = mkdtempSync(join(base, `${name}-`));
      writeFileSync(join(folder, files.limit), String(Math.ceil(bytes * (1 + LIMIT_MARGIN))));
      const [swap, none] = files.swap;
      if (existsSync(join(folder, swap))) succeeds(() => writeFileSync(join(folder, swap), none));
      return {
        enterPrefix: ['/bin/sh', '-c', 'echo $$ >"$0" && exec "$@"', join(folder, 'cgroup.procs')],
        hasOomKill: () => /^oom_kill [1-9]/m.test(readProcFile(join(folder, files.events)) ?? ''),
        async remove() {
          for (let left = REMOVAL.tries; left > 0 && !succeeds(() => rmdirSync(folder)); left -= 1)
            await delay(REMOVAL.everyMs);
        },
      };
    },
    clear: (gone) => removeAll(basePath(gone)),
    close: () => removeAll(base),
  };
}

/**
 * Lets the cgroups below have bounds of their own: the system allows that where no process is beside them, so this one moves
 * to one of its own. Throws where others are there too, or nothing may be changed.
 */
function enableMemoryController(folder: string, pid: number): void {
  const control = join(folder, 'cgroup.subtree_control');
  if (hasMemoryController(control)) return;
  const leaf = join(folder, SERVICE_CGROUP);
  mkdirSync(leaf, { recursive: true });
  try {
    writeFileSync(join(leaf, 'cgroup.procs'), String(pid));
    writeFileSync(control, '+memory');
  } catch (error) {
    succeeds(() => writeFileSync(join(folder, 'cgroup.procs'), String(pid)));
    succeeds(() => rmdirSync(leaf));
    throw error;
  }
}

function removeAll(base: string): void {
  succeeds(() => {
    for (const entry of readdirSync(base, { withFileTypes: true }))
      if (entry.isDirectory()) succeeds(() => rmdirSync(join(base, entry.name)));
    rmdirSync(base);
  });
}

/** Whether it went well. */
function succeeds(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
