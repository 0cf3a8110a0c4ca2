/** What the system knows of a process that runs: its greatest memory and its time on the processor. Linux alone tells. */
import { readFileSync } from 'node:fs';

/** Clock ticks a second, as Linux shows them to programs. */
const TICKS = 100;

/** The most memory that the process has had so far, in MB; undefined where it is gone, or the system tells nothing. */
export function peakMemory(pid: number): number | undefined {
  const line = read(`/proc/${pid}/status`)?.match(/^VmHWM:\s+(\d+) kB$/m);
  return line ? Number(line[1]) / 1000 : undefined;
}

/** The memory that the process has now, in MB. */
export function residentMemory(pid: number): number | undefined {
  const line = read(`/proc/${pid}/status`)?.match(/^VmRSS:\s+(\d+) kB$/m);
  return line ? Number(line[1]) / 1000 : undefined;
}

/** The seconds that the process has spent on the processor so far. */
export function processorSeconds(pid: number): number | undefined {
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /, '')
    .split(' ');
  return fields ? (Number(fields[11]) + Number(fields[12])) / TICKS : undefined;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
