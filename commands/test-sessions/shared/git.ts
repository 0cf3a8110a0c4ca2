/** Detects the commit and the repository of a test session. */

import { readCiOrigin } from '../../../src/cli/ci/read-ci-origin.ts';
import { runGit } from '../../../src/cli/pack/run-git.ts';
import type { Env } from '../../../src/terminal/index.ts';

/** The detected metadata of a test session. */
interface Origin {
  readonly repoUrl?: string;
  readonly commitId?: string;
  readonly commitOwner?: string;
  readonly commitMessage?: string;
  readonly branchName?: string;
  readonly environment?: string;
}

/** Longer commit messages are truncated, because they are shown in one line. */
const MAX_MESSAGE_LENGTH = 500;

/** Returns the metadata. CI variables override git. The environment is the page of the CI run, the only text for it. */
export async function detectOrigin(env: Env, cwd: string): Promise<Origin> {
  const { link, hasNoBranch = false, ...ci } = readCiOrigin(env) ?? {};
  const found = { ...(await queryGit(env, cwd, hasNoBranch)), ...definedFields(ci) };
  const { commitMessage, repoUrl } = found;
  return {
    ...found,
    ...(commitMessage === undefined ? {} : { commitMessage: commitMessage.slice(0, MAX_MESSAGE_LENGTH) }),
    ...(repoUrl === undefined ? {} : { repoUrl: removeCredentials(repoUrl) }),
    ...(link === undefined ? {} : { environment: removeCredentials(link) }),
  };
}

async function queryGit(env: Env, cwd: string, hasNoBranch: boolean): Promise<Origin> {
  const query = async (...args: readonly string[]) => (await runGit(cwd, args, env))?.trim();
  const [commit, current, refs, repoUrl] = await Promise.all([
    // `git log` would obey more settings of the repository's configuration.
    query('rev-list', '--max-count=1', '--format=%an%n%s', 'HEAD'),
    query('symbolic-ref', '--short', 'HEAD'),
    query('for-each-ref', '--points-at=HEAD', '--format=%(refname)', 'refs/heads', 'refs/remotes/origin'),
    query('remote', 'get-url', 'origin'),
  ]);
  const [commitId, commitOwner, commitMessage] = commit?.replace(/^commit /, '').split('\n') ?? [];
  const branchName = current ?? (hasNoBranch ? undefined : onlyBranch(refs?.split('\n') ?? []));
  return definedFields({ commitId, commitOwner, commitMessage, branchName, repoUrl });
}

/** Returns the branch of a detached HEAD. Undefined: no branch ends at its commit, or several do. */
function onlyBranch(refs: readonly string[]): string | undefined {
  const names = refs.map((ref) => ref.replace(/^refs\/(?:heads|remotes\/origin)\//, ''));
  const branches = new Set(names.filter((name) => name !== '' && name !== 'HEAD'));
  return branches.size === 1 ? [...branches][0] : undefined;
}

function removeCredentials(url: string): string {
  return url.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/@]*@/i, '$1');
}

function definedFields(fields: Readonly<Partial<Record<keyof Origin, string | undefined>>>): Origin {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}
