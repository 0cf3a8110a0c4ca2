/** Runs git in a folder, without the programs that the repository's configuration names. */
import { execFile } from 'node:child_process';
import { parse } from 'node:path';
import { promisify } from 'node:util';
import type { Env } from '../../../src/terminal/index.ts';

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

/** The detected metadata of a test session. */
interface Origin {
  readonly repoUrl?: string;
  readonly commitId?: string;
  readonly commitOwner?: string;
  readonly commitMessage?: string;
  readonly branchName?: string;
}

/** Longer commit messages are truncated, because they are shown in one line. */
const MAX_MESSAGE_LENGTH = 500;

/** Returns the metadata. CI variables override git. */
export async function detectOrigin(env: Env, cwd: string): Promise<Origin> {
  const found = { ...(await queryGit(env, cwd)), ...readCiVariables(env) };
  const { commitMessage, repoUrl } = found;
  return {
    ...found,
    ...(commitMessage === undefined ? {} : { commitMessage: commitMessage.slice(0, MAX_MESSAGE_LENGTH) }),
    ...(repoUrl === undefined ? {} : { repoUrl: removeCredentials(repoUrl) }),
  };
}

/** Reads the variables of GitHub Actions and GitLab CI. */
function readCiVariables(env: Env): Origin {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = env;
  return definedFields({
    repoUrl: server && repository ? `${server}/${repository}` : env.CI_PROJECT_URL,
    commitId: env.GITHUB_SHA ?? env.CI_COMMIT_SHA,
    commitOwner: env.GITHUB_ACTOR ?? env.CI_COMMIT_AUTHOR,
    commitMessage: env.CI_COMMIT_MESSAGE,
    // For a pull request, use its source branch.
    branchName: env.GITHUB_HEAD_REF || env.GITHUB_REF_NAME || env.CI_COMMIT_REF_NAME,
  });
}

async function queryGit(env: Env, cwd: string): Promise<Origin> {
  const query = async (...args: readonly string[]) => (await runGit(cwd, args, env))?.trim();
  const [commit, branchName, repoUrl] = await Promise.all([
    // `git log` would obey more settings of the repository's configuration.
    query('rev-list', '--max-count=1', '--format=%an%n%s', 'HEAD'),
    query('symbolic-ref', '--short', 'HEAD'),
    query('remote', 'get-url', 'origin'),
  ]);
  const [commitId, commitOwner, commitMessage] = commit?.replace(/^commit /, '').split('\n') ?? [];
  return definedFields({ commitId, commitOwner, commitMessage, branchName, repoUrl });
}

function removeCredentials(url: string): string {
  return url.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/@]*@/i, '$1');
}

function definedFields(fields: Readonly<Record<keyof Origin, string | undefined>>): Origin {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}
