/** Reads the branch, the commit, the repository and the page of a run from the variables of its CI system. */

import { isUrl } from '../../base/parse-url.ts';
import type { Env } from '../../terminal/index.ts';
import { CI_SYSTEMS, type CiSystem, readMarker, variablesOf } from './ci-systems.ts';

/** What a run of a CI system says about its source. */
interface CiOrigin {
  readonly branchName: string | undefined;
  readonly commitId: string | undefined;
  readonly repoUrl: string | undefined;
  readonly commitMessage: string | undefined;
  readonly commitOwner: string | undefined;
  /** Address of the page of the run. */
  readonly link: string | undefined;
  /** Whether the run is for a tag, or for a pull request without a branch here. */
  readonly hasNoBranch: boolean;
}

/** Returns what the CI system of this environment says. Undefined: no known system runs this process. */
export function readCiOrigin(env: Env): CiOrigin | undefined {
  const system = CI_SYSTEMS.find((each) => isRunBy(each, env));
  if (!system) return undefined;
  const first = (names: readonly string[] = [], change = (text: string): string | undefined => text) =>
    names.flatMap((name) => change(env[name] ?? '') || [])[0];
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = env;
  const isTag =
    first(system.tag) !== undefined || system.branch.some((name) => env[name]?.startsWith('refs/tags/'));
  const ofPullRequest = system.branch.filter((name) => /head|change|source|pull|pr_/i.test(name));
  const branchName = first(isTag ? ofPullRequest : system.branch, toBranchName);
  return {
    branchName,
    commitId: first(system.commit, (text) => (text === 'HEAD' ? undefined : text)),
    repoUrl: first(system.repository) ?? (server && repository ? `${server}/${repository}` : undefined),
    commitMessage: first(system.message),
    commitOwner: first(system.author),
    link: (system.link ?? []).flatMap((link) => fillLink(link, env))[0],
    hasNoBranch: isTag || (branchName === undefined && system.branch.some((name) => env[name])),
  };
}

/** Returns the address; empty if a variable is missing or it is no web address. */
function fillLink(link: string, env: Env): readonly string[] {
  const values = variablesOf(link).map((name) => env[name] ?? '');
  const isStart = link.startsWith('{');
  const address = values.reduce(
    (text, value, index) =>
      text.replace(/\{\w+\}/, () => (isStart && index === 0 ? value : encodeURI(value))),
    link,
  );
  return values.every((value) => value !== '') && /^https?:/i.test(address) && isUrl(address)
    ? [address]
    : [];
}

function isRunBy({ marker, branch, commit }: CiSystem, env: Env): boolean {
  if (marker === undefined) return [...branch, ...commit].some((name) => env[name]);
  const { variable, value } = readMarker(marker);
  return value === undefined ? Boolean(env[variable]) : env[variable] === value;
}

/** Refs that name no branch: a detached HEAD, tags, and pull requests. */
const NO_BRANCH =
  /^(?:HEAD|\(.*\)|(?:refs\/)?tags\/.*|refs\/(?:pull|merge-requests|pull-requests|changes)\/.*|(?:pull|pr|merge-requests)\/\d+(?:\/(?:head|merge))?|\d+\/(?:head|merge)|PR-\d+|MR-\d+)$/;

/** Returns the branch of a ref such as `refs/heads/x` or `origin/x`. Undefined: it names no branch. */
function toBranchName(ref: string): string | undefined {
  const name = ref.trim().replace(/^(?:refs\/heads\/|(?:refs\/)?remotes\/[^/]+\/|origin\/)/, '');
  return name === '' || NO_BRANCH.test(ref.trim()) || NO_BRANCH.test(name) ? undefined : name;
}
