/** What a program in a cell finds in its environment: nothing of the service's own. */
import { SandboxError } from './errors.ts';

/** The variable by which processes of a cell are told: it is passed on to whatever they start. */
export const MARK = 'SONDE_CELL';

/** Where the launchers find their programs, and a program in a cell its own. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What the launchers need, which may run as root. */
export const launcherEnvironment = (id: string): Record<string, string> => ({
  PATH: SYSTEM_PATH,
  LANG: 'C.UTF-8',
  [MARK]: id,
});

interface Inner {
  readonly env: Record<string, string>;
  /** Words that end with the program's own. */
  readonly words: readonly string[];
}

/**
 * The last launcher: sets the variables that a run brings, goes to the folder and becomes the program. They have other
 * names until then: a launcher that is still root would heed an LD_PRELOAD. Values never stand in a process list. Throws
 * SandboxError for a name that is none.
 */
export function innerProgram(
  id: string,
  folder: string,
  given: Readonly<Record<string, string>>,
  argv: readonly string[],
): Inner {
  const entries = Object.entries({ HOME: folder, TMPDIR: folder, ...given, [MARK]: id });
  const env = launcherEnvironment(id);
  const exports = entries.map(([name, value], at) => {
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw new SandboxError(`"${name}" is not a valid name of an environment variable`);
    env[`SONDE_V${at}`] = value;
    return `export ${name}="$SONDE_V${at}"; unset SONDE_V${at}`;
  });
  // Where memory runs short, the system ends this first.
  const script = `echo 1000 2>/dev/null >/proc/self/oom_score_adj; cd "$1" || exit 71; shift; ${exports.join('; ')}; exec "$@"`;
  return { env, words: ['/bin/sh', '-c', script, 'sh', folder, ...argv] };
}
