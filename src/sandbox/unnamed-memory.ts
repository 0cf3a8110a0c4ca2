/** Measures shared memory without a file in the cell: files without a name (memfd) and shared mappings. */
import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { readProcFile } from './procfs.ts';

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
