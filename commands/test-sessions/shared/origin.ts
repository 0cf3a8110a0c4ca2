/** Where a test session comes from: what the CI's environment says of the commit, or git. */

import type { Env } from '../../../src/terminal/index.ts';
import { runGit } from './git.ts';

/** The fields of a test session's metadata that are found. */
export interface Origin {
  readonly repoUrl?: string;
  readonly commitId?: string;
  readonly commitOwner?: string;
  readonly commitMessage?: string;
  readonly branchName?: string;
}

/** Longer messages are cut: they are shown in a line. */
const MAX_MESSAGE_LENGTH = 500;

/** What the CI's environment says goes before what git says; what neither knows is left out. */
export async function detectOrigin(env: Env, cwd: string): Promise<Origin> {
  const found = { ...(await queryGit(env, cwd)), ...readCiVariables(env) };
  const { commitMessage, repoUrl } = found;
  return {
    ...found,
    ...(commitMessage === undefined ? {} : { commitMessage: commitMessage.slice(0, MAX_MESSAGE_LENGTH) }),
    ...(repoUrl === undefined ? {} : { repoUrl: removeCredentials(repoUrl) }),
  };
}

/** GitHub Actions and GitLab CI, which both set variables for it; others check out with git. */
function readCiVariables(env: Env): Origin {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = env;
  return definedFields({
    repoUrl: server && repository ? `${server}/${repository}` : env.CI_PROJECT_URL,
    commitId: env.GITHUB_SHA ?? env.CI_COMMIT_SHA,
    commitOwner: env.GITHUB_ACTOR ?? env.CI_COMMIT_AUTHOR,
    commitMessage: env.CI_COMMIT_MESSAGE,
    // Of a pull request the branch that it comes from.
    branchName: env.GITHUB_HEAD_REF || env.GITHUB_REF_NAME || env.CI_COMMIT_REF_NAME,
  });
}

async function queryGit(env: Env, cwd: string): Promise<Origin> {
  const asked = async (...args: readonly string[]) => (await runGit(cwd, args, env))?.trim();
  const [commit, branchName, repoUrl] = await Promise.all([
    // Not `git log`: it takes more orders from the repository's configuration.
    asked('rev-list', '--max-count=1', '--format=%an%n%s', 'HEAD'),
    asked('symbolic-ref', '--short', 'HEAD'),
    asked('remote', 'get-url', 'origin'),
  ]);
  const [commitId, commitOwner, commitMessage] = commit?.replace(/^commit /, '').split('\n') ?? [];
  return definedFields({ commitId, commitOwner, commitMessage, branchName, repoUrl });
}

/** A remote may hold a token. */
function removeCredentials(url: string): string {
  return url.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/@]*@/i, '$1');
}

function definedFields(fields: Readonly<Record<keyof Origin, string | undefined>>): Origin {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}
