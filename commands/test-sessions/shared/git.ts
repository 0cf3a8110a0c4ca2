/** Detects the commit and the repository of a test session. */
import { runGit } from '../../../src/cli/pack/run-git.ts';
import type { Env } from '../../../src/terminal/index.ts';

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
