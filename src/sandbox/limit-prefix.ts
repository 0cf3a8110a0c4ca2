/** What a single process may use: the system's own limits, set before a program starts. */
import { readProcFile } from './procfs.ts';
import type { CellLimits } from './types.ts';

/** Open files of a process. */
const MAX_OPEN_FILES = 4096;

/** The hard limits of this process by name in /proc, in their units; what has none is left out. */
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
 * The words before a program's own that set its limits. `processes` is what the user id may have, this program's
 * included: left out where others have the same id.
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
  // None may be raised, by whoever is not root.
  return [
    'prlimit',
    ...limitFlags.map(([flag, name, value]) => `--${flag}=${Math.min(value, hard.get(name) ?? value)}`),
    '--',
  ];
}

/** The same where there is no prlimit, by the shell: what it knows on every system. */
export const shellLimitPrefix = (limits: CellLimits): readonly string[] => [
  '/bin/sh',
  '-c',
  `ulimit -c 0; ulimit -t ${Math.ceil(limits.cpuSeconds)}; ulimit -f ${Math.ceil(limits.fileBytes / 512)}; exec "$@"`,
  'sh',
];
