/** What a program in a cell finds in its environment: nothing of the service's own. */
import { SandboxError } from './errors.ts';

/** The variable by which processes of a cell are told: it is passed on to whatever they start. */
export const CELL_VARIABLE = 'SONDE_CELL';

/** Where the launchers find their programs, and a program in a cell its own. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What the launchers need, which may run as root. */
export const launcherEnvironment = (id: string): Record<string, string> => ({
  PATH: SYSTEM_PATH,
  LANG: 'C.UTF-8',
  [CELL_VARIABLE]: id,
});

interface WrappedProgram {
  readonly env: Record<string, string>;
  /** Words that end with the program's own. */
  readonly argv: readonly string[];
}

/**
 * The last launcher: sets the variables that a run brings, goes to the folder and becomes the program. They have other
 * names until then: a launcher that is still root would heed an LD_PRELOAD. Values never stand in a process list. Throws
 * SandboxError for a name that is none.
 */
export function wrapProgram(
  id: string,
  folder: string,
  variables: Readonly<Record<string, string>>,
  argv: readonly string[],
): WrappedProgram {
  const entries = Object.entries({ HOME: folder, TMPDIR: folder, ...variables, [CELL_VARIABLE]: id });
  const env = launcherEnvironment(id);
  const exports = entries.map(([name, value], at) => {
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw new SandboxError(`"${name}" is not a valid name of an environment variable`);
    env[`SONDE_V${at}`] = value;
    return `export ${name}="$SONDE_V${at}"; unset SONDE_V${at}`;
  });
  // Where memory runs short, the system ends this first.
  const script = `echo 1000 2>/dev/null >/proc/self/oom_score_adj; cd "$1" || exit 71; shift; ${exports.join('; ')}; exec "$@"`;
  return { env, argv: ['/bin/sh', '-c', script, 'sh', folder, ...argv] };
}
