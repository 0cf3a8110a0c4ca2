/** Runs git in a folder, without the programs that the repository's configuration names. */
import { execFile } from 'node:child_process';
import { parse } from 'node:path';
import { promisify } from 'node:util';
import type { Env } from '../../terminal/index.ts';

const run = promisify(execFile);

/** The environment variables that git needs; none contains a key or token. */
const PASSED_VARIABLES =
  /^(?:path|home|xdg_config_home|userprofile|homedrive|homepath|appdata|systemroot|programdata|tmpdir|temp|tmp|sudo_uid|git_(?:config_\w+|dir|work_tree|index_file|object_directory|alternate_object_directories|ceiling_directories|discovery_across_filesystem))$/i;

/** Turns off the settings that let a repository start programs. Options on the command line override the repository's file. */
const NO_PROGRAMS = [
  ...['--no-pager', '--no-optional-locks'],
  ...['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'log.showSignature=false'],
];

/** Objects that a partial clone lacks are not fetched: the repository names the program that would fetch them. */
const NO_TRANSPORT = { GIT_ALLOW_PROTOCOL: '', GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0' };

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Returns what git prints. Undefined: there is no git or no repository, or the command failed. */
export async function runGit(folder: string, args: readonly string[], env: Env): Promise<string | undefined> {
  const passed = Object.fromEntries(Object.entries(env).filter(([name]) => PASSED_VARIABLES.test(name)));
  try {
    const { stdout } = await run('git', [...NO_PROGRAMS, '-C', folder, ...args], {
      // On Windows, a program in the working folder would go before the real git.
      cwd: parse(folder).root,
      env: { ...passed, ...NO_TRANSPORT },
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    return stdout;
  } catch {
    return undefined;
  }
}
