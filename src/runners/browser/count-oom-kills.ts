/** Counts the processes that the kernel killed because the machine ran out of memory: such a kill is nobody's fault in a cell. */
import { readFileSync } from 'node:fs';

/** Since the machine started; 0 where the system does not count them. */
export function countOomKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
