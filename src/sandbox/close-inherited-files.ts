/**
 * Closes inherited file descriptors, which every started program would inherit in turn. Node handles only the first
 * ones.
 */
import { closeSync, readdirSync } from 'node:fs';
import { readProcFile } from './procfs.ts';

const CLOSE_ON_EXEC = 0o2000000;

/** Closes the descriptors. Call it at the start of a process, before it opens a file. */
export function closeInheritedFiles(): void {
  let names: string[];
  try {
    names = readdirSync('/proc/self/fdinfo');
  } catch {
    // Not Linux.
    return;
  }
  for (const name of names) {
    const flags = /^flags:\s*(\d+)/m.exec(readProcFile(`/proc/self/fdinfo/${name}`) ?? '')?.[1];
    const isInherited = flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
    if (Number(name) > 2 && isInherited) closeSync(Number(name));
  }
}
