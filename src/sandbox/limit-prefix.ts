/** Builds command prefixes that set the kernel limits of a single process. */
import { readProcFile } from './procfs.ts';
import type { CellLimits } from './types.ts';

/** Open files of a process. */
const MAX_OPEN_FILES = 4096;

/** Returns the hard limits of this process by name in /proc, in their units. Omits unlimited ones. */
function hardLimits(): Map<string, number> {
  const lines = (readProcFile('/proc/self/limits') ?? '').split('\n').slice(1);
  return new Map(
    lines.flatMap((line) => {
      const [, name, hard] = /^(.+?)\s{2,}\S+\s+(\d+)/.exec(line) ?? [];
      return name === undefined ? [] : [[name, Number(hard)] as const];
    }),
  );
}

/**
 * Returns the command prefix that sets the limits. `processes`: maximum for the user ID, including this program;
 * undefined if the ID is shared.
 */
export function limitPrefix(limits: CellLimits, processes?: number): readonly string[] {
  const hard = hardLimits();
  const limitFlags: readonly (readonly [flag: string, name: string, value: number])[] = [
    ['data', 'Max data size', limits.memoryBytes],
    ['fsize', 'Max file size', limits.fileBytes],
    ['cpu', 'Max cpu time', Math.ceil(limits.cpuSeconds)],
    ['nofile', 'Max open files', MAX_OPEN_FILES],
    ['core', 'Max core file size', 0],
    ...(processes === undefined ? [] : ([['nproc', 'Max processes', processes]] as const)),
  ];
  // Only root may raise a hard limit.
  return [
    'prlimit',
    ...limitFlags.map(([flag, name, value]) => `--${flag}=${Math.min(value, hard.get(name) ?? value)}`),
    '--',
  ];
}

/** Returns the same prefix for systems without prlimit, with the limits that every shell supports. */
export const shellLimitPrefix = (limits: CellLimits): readonly string[] => [
  '/bin/sh',
  '-c',
  `ulimit -c 0; ulimit -t ${Math.ceil(limits.cpuSeconds)}; ulimit -f ${Math.ceil(limits.fileBytes / 512)}; exec "$@"`,
  'sh',
];
