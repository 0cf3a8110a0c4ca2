/**
 * Counts the processes that the kernel killed because the machine ran out of memory. Such a kill is nobody's fault in a
 * cell.
 */
import { readFileSync } from 'node:fs';

/** Returns the count since boot; 0 if the system does not count. */
export function countOomKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
