/** Builds the environment of programs in a cell, without the service's own variables. */
import { SandboxError } from './errors.ts';

/** Variable that identifies the processes of a cell. All child processes inherit it. */
export const CELL_VARIABLE = 'SONDE_CELL';

/** PATH of launchers and of programs in a cell. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Returns the environment of launchers, which may run as root. */
export const launcherEnvironment = (id: string): Record<string, string> => ({
  PATH: SYSTEM_PATH,
  LANG: 'C.UTF-8',
  [CELL_VARIABLE]: id,
});

interface WrappedProgram {
  readonly env: Record<string, string>;
  /** Command that ends with the program's own. */
  readonly argv: readonly string[];
}

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
): WrappedProgram {
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
