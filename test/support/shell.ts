/** A shell in which `sonde` is the built binary, with a home of its own. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BINARY, bareEnv, type Env, type Ran, shell } from './binary.ts';

export interface Shell {
  /** The working folder, empty at first. */
  readonly folder: string;
  readonly home: string;
  /** The folder for temporary files. */
  readonly temporary: string;
  /** Runs a script with `bash -euo pipefail`. */
  run(script: string, env?: Env): Promise<Ran>;
  /** Stops what was started in the background and removes everything. */
  close(): Promise<void>;
}

/** Gives a service that a script starts a free port where it names none: the default one may be taken. */
const FREE_PORT = `
case "$*" in
  *--listen*) ;;
  "service start"*) set -- "$@" --listen 127.0.0.1:0 ;;
esac`;
/** What a script starts with `&` and lasts is the process that `$!` names, as it would be of a program. */
const AS_PROGRAM = `
case "$*" in
  "agent start"*) exec "${process.execPath}" "${BINARY}" "$@" ;;
esac`;

/** Opens a shell. */
export function openShell(env: Env = {}): Shell {
  const root = mkdtempSync(join(tmpdir(), 'sonde-shell-'));
  const [home, folder, temporary] = [join(root, 'home'), join(root, 'folder'), join(root, 'tmp')];
  for (const path of [home, folder, temporary]) mkdirSync(path);
  const opened: Shell = {
    folder,
    home,
    temporary,
    run: (script, more = {}) =>
      shell(`set -euo pipefail\n${script}`, {
        env: bareEnv(home, { TMPDIR: temporary, ...env, ...more }),
        cwd: folder,
        first: `${FREE_PORT}${AS_PROGRAM}`,
      }),
    async close() {
      await opened.run('sonde service stop');
      rmSync(root, { recursive: true, force: true });
    },
  };
  return opened;
}
