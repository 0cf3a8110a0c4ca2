/** Builds the commands that start programs in a cell: their environment and the limits of single processes. */

import { readProcFile } from './procfs.ts';
import { type CellLimits, SandboxError } from './sandbox.ts';

/** Variable that identifies the processes of a cell. All child processes inherit it. */
export const CELL_VARIABLE = 'SONDE_CELL';

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Returns the environment of launchers, which may run as root. */
export const launcherEnvironment = (id: string): Record<string, string> => ({
  PATH: SYSTEM_PATH,
  LANG: 'C.UTF-8',
  [CELL_VARIABLE]: id,
});

/**
 * Wraps a program in its last launcher, which sets the run's variables and the working folder. The variables have other
 * names until then, because a launcher that is still root would obey LD_PRELOAD. Their values never appear in a process
 * list. Throws SandboxError for an invalid name.
 */
export function wrapProgram(
  id: string,
  folder: string,
  variables: Readonly<Record<string, string>>,
  argv: readonly string[],
): { readonly env: Record<string, string>; readonly argv: readonly string[] } {
  const entries = Object.entries({ HOME: folder, TMPDIR: folder, ...variables, [CELL_VARIABLE]: id });
  const env = launcherEnvironment(id);
  const exports = entries.map(([name, value], at) => {
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw new SandboxError(`"${name}" is not a valid name of an environment variable`);
    env[`SONDE_V${at}`] = value;
    return `export ${name}="$SONDE_V${at}"; unset SONDE_V${at}`;
  });
  // The kernel kills this process first if memory runs out.
  const script = `echo 1000 2>/dev/null >/proc/self/oom_score_adj; cd "$1" || exit 71; shift; ${exports.join('; ')}; exec "$@"`;
  return { env, argv: ['/bin/sh', '-c', script, 'sh', folder, ...argv] };
}

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

/** Returns the prefix that sets the limits. `processes`: of this user ID; undefined if it is shared. */
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
