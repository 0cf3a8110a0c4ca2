/** Creates memory cgroups if this process may, so that the kernel limits all memory of a cell. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readProcFile } from './procfs.ts';

export type MemoryCgroup = ReturnType<NonNullable<ReturnType<typeof openMemoryCgroups>>['make']>;

/** Files of both cgroup versions. */
const VERSIONS = {
  2: { limit: 'memory.max', swap: ['memory.swap.max', '0'], events: 'memory.events' },
  1: { limit: 'memory.limit_in_bytes', swap: ['memory.swappiness', '0'], events: 'memory.oom_control' },
} as const;

/** Margin above the cell's limit, because the cgroup also counts kernel memory of the programs. */
const LIMIT_MARGIN = 1 / 8;
const REMOVAL = { tries: 50, everyMs: 10 };
const SERVICE_CGROUP = 'sonde-service';

export function findOwnCgroup(
  cgroups = readProcFile('/proc/self/cgroup') ?? '',
  mountinfo = readProcFile('/proc/self/mountinfo') ?? '',
): { readonly version: keyof typeof VERSIONS; readonly folder: string } | undefined {
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

/** Opens the cgroups of this service (`instance`); undefined if this process may not create any. */
export function openMemoryCgroups(instance: string, pid: number) {
  const ownCgroup = findOwnCgroup();
  if (ownCgroup === undefined) return undefined;
  const basePath = (one: string): string => join(ownCgroup.folder, `sonde-cells-${one}`);
  const base = basePath(instance);
  const files = VERSIONS[ownCgroup.version];
  try {
    if (ownCgroup.version === 2) enableMemoryController(ownCgroup.folder, pid);
    // A process may open several sandboxes.
    mkdirSync(base, { recursive: true });
    if (ownCgroup.version === 2) writeFileSync(join(base, 'cgroup.subtree_control'), '+memory');
  } catch {
    succeeds(() => rmdirSync(base));
    return undefined;
  }

  return {
    make(name: string, bytes: number) {
      const folder = mkdtempSync(join(base, `${name}-`));
      writeFileSync(join(folder, files.limit), String(Math.ceil(bytes * (1 + LIMIT_MARGIN))));
      const [swap, none] = files.swap;
      if (existsSync(join(folder, swap))) succeeds(() => writeFileSync(join(folder, swap), none));
      return {
        /** Command prefix that starts a program in the cgroup. */
        enterPrefix: ['/bin/sh', '-c', 'echo $$ >"$0" && exec "$@"', join(folder, 'cgroup.procs')],
        hasOomKill: () => /^oom_kill [1-9]/m.test(readProcFile(join(folder, files.events)) ?? ''),
        /** Removes the cgroup. Call it after its programs have ended. */
        async remove(): Promise<void> {
          for (let tries = 0; tries < REMOVAL.tries && !succeeds(() => rmdirSync(folder)); tries += 1)
            await delay(REMOVAL.everyMs);
        },
      };
    },
    /** Removes cgroups of an ended service. */
    clear: (staleInstance: string) => removeAll(basePath(staleInstance)),
    close: () => removeAll(base),
  };
}

/**
 * Enables limits for child cgroups. The kernel requires that no process is in the parent, so this process moves to a
 * child. Throws if other processes are in the parent, or if permissions are missing.
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

function succeeds(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
