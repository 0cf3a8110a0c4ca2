/** Memory that no process has as its own and no file system of a cell holds: files without a name (memfd), and what is mapped to be shared. */
import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { readProcFile } from './procfs.ts';

/** Descriptors that are looked at; a cell that has more is over any limit. */
const MAX_DESCRIPTORS = 20_000;

/** The most that could be hidden so on this machine, whoever hides it, in bytes: 0 says that a closer look is not needed. */
export function maxUnnamedBytes(meminfo = readProcFile('/proc/meminfo') ?? ''): number {
  const kilobytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(meminfo)?.[1] ?? 0);
  return (kilobytes('Shmem') + kilobytes('SwapTotal') - kilobytes('SwapFree')) * 1024;
}

/** Bytes that these processes hold so. What is not ours to see counts for nothing. */
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

/** Of what a process maps to share it, the part that falls to it: memory that has no file, and files that nobody has open any more. */
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
