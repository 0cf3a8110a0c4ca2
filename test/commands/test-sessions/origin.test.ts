/** Where a test session comes from: the environment of a CI before git, and never a login. */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectOrigin } from '../../../commands/test-sessions/shared/git.ts';
import { CI_SYSTEMS, readMarker, variablesOf } from '../../../src/cli/ci/ci-systems.ts';
import { temporaryFolder } from '../../support/folder.ts';

async function repository(): Promise<string> {
  const folder = await temporaryFolder();
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: folder,
    });
  git('init', '-q', '-b', 'release');
  git('commit', '-q', '--allow-empty', '-m', 'Open the shop\n\nwith more below');
  git('remote', 'add', 'origin', 'https://ada:s3cret-token@git.example.com/shop.git');
  return folder;
}

it('reads git, without the login in the address of its remote', async () => {
  const origin = await detectOrigin({}, await repository());
  expect(origin).toEqual({
    commitId: expect.stringMatching(/^[0-9a-f]{40}$/),
    commitOwner: 'Ada',
    commitMessage: 'Open the shop',
    branchName: 'release',
    repoUrl: 'https://git.example.com/shop.git',
  });
});

it.each([
  [
    'GitHub Actions',
    {
      ...{ GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'shop/web', GITHUB_SHA: 'abc' },
      ...{ GITHUB_ACTOR: 'grace', GITHUB_HEAD_REF: '', GITHUB_REF_NAME: 'main' },
    },
    { repoUrl: 'https://github.com/shop/web', commitId: 'abc', commitOwner: 'grace', branchName: 'main' },
  ],
  [
    'GitLab CI',
    {
      ...{ CI_PROJECT_URL: 'https://gitlab.com/shop/web', CI_COMMIT_SHA: 'def', CI_COMMIT_REF_NAME: 'fix' },
      ...{ CI_COMMIT_AUTHOR: 'Grace <grace@example.com>', CI_COMMIT_MESSAGE: 'Mend' },
    },
    { commitId: 'def', commitOwner: 'Grace <grace@example.com>', commitMessage: 'Mend', branchName: 'fix' },
  ],
])('takes what %s says before what git says', async (_, env, wanted) => {
  expect(await detectOrigin(env, await repository())).toMatchObject(wanted);
});

/** Refs of a detached HEAD, of a tag and of a pull request. */
const NO_BRANCHES = [
  ...['HEAD', '(no branch)', '(HEAD detached at 3fa91c)', 'refs/heads/', 'origin/HEAD'],
  ...[
    'refs/tags/v1',
    'refs/pull/12/merge',
    'pull/12/head',
    'pull/12',
    '12/merge',
    'refs/merge-requests/3/head',
  ],
];
const branches = fc
  .array(fc.stringMatching(/^[a-z][a-z0-9_-]{0,9}$/), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('/'))
  .filter((name) => !/^(?:pull|pr|tags|origin|refs|remotes|merge-requests)\b/.test(name));

describe.each(CI_SYSTEMS)('$name', ({ marker, branch, commit, tag = [], repository = [], link = [] }) => {
  const { variable = '', value = 'true' } = marker === undefined ? {} : readMarker(marker);
  const base = marker === undefined ? {} : { [variable]: value };

  it('gives branch and commit, from each of its variables and in each spelling of a ref', async () => {
    const folder = await temporaryFolder();
    await fc.assert(
      fc.asyncProperty(branches, fc.constantFrom('', 'refs/heads/', 'origin/'), async (name, prefix) => {
        for (const variable of branch)
          expect(await detectOrigin({ ...base, [variable]: `${prefix}${name}` }, folder)).toMatchObject({
            branchName: name,
          });
      }),
      { numRuns: 3 },
    );
    for (const variable of commit) {
      const { commitId } = await detectOrigin({ ...base, [variable]: '3fa91c' }, folder);
      expect(commitId).toBe('3fa91c');
      expect(await detectOrigin({ ...base, [variable]: 'HEAD' }, folder)).toEqual({});
    }
    for (const variable of repository) {
      const env = { ...base, [commit[0] ?? '']: 'a', [variable]: 'https://ada:s3cret@git.test/shop.git' };
      expect((await detectOrigin(env, folder)).repoUrl).toBe('https://git.test/shop.git');
    }
  });

  it('gives the page of the run, if all parts of its address are set', async () => {
    const folder = await temporaryFolder();
    for (const address of link) {
      const names = variablesOf(address);
      const values = names.map((name, index) => [
        name,
        index === 0 && address.startsWith('{') ? 'https://ada:s3cret@ci.test/a' : `b ${index}`,
      ]);
      const env = { ...base, [commit[0] ?? '']: 'a', ...Object.fromEntries(values) };
      const { environment = '' } = await detectOrigin(env, folder);
      expect(environment).toMatch(/^https:\/\/[\w.-]+\/[!-~]*$/);
      for (const [, part = ''] of values.slice(1)) expect(environment).toContain(encodeURI(part));
      for (const name of names)
        expect(await detectOrigin({ ...env, [name]: '' }, folder)).not.toHaveProperty('environment');
    }
  });

  it('has no branch for a detached HEAD, a tag and a pull request without a source', async () => {
    const folder = await temporaryFolder();
    for (const ref of NO_BRANCHES) {
      const env = { ...base, ...Object.fromEntries(branch.map((variable) => [variable, ref])) };
      expect(await detectOrigin(env, folder), ref).toEqual({});
    }
    const last = branch.at(-1);
    if (last === undefined) return;
    for (const variable of tag) {
      const env = { ...base, [variable]: 'v1', [last]: 'v1' };
      expect(await detectOrigin(env, folder)).toEqual({});
    }
  });
});

it.each([
  ['a tag in GitHub Actions', { GITHUB_REF: 'refs/tags/v1', GITHUB_REF_NAME: 'v1' }, undefined],
  [
    'a pull request',
    { GITHUB_HEAD_REF: 'fix', GITHUB_REF: 'refs/pull/1/merge', GITHUB_REF_NAME: '1/merge' },
    'fix',
  ],
  [
    'a multibranch build of Jenkins',
    { JENKINS_URL: 'x', BRANCH_NAME: 'PR-3', CHANGE_BRANCH: 'fix', GIT_BRANCH: 'origin/PR-3' },
    'fix',
  ],
  ['a detached HEAD in Jenkins', { JENKINS_URL: 'x', GIT_BRANCH: 'origin/feature/a' }, 'feature/a'],
])('finds the branch of %s', async (_, env, branchName) => {
  expect((await detectOrigin(env, await temporaryFolder())).branchName).toBe(branchName);
});

it('finds the only branch of a detached HEAD, unless the run is for a tag', async () => {
  const folder = await repository();
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
  git('checkout', '-q', '--detach');
  git('update-ref', 'refs/remotes/origin/release', 'HEAD');
  expect((await detectOrigin({}, folder)).branchName).toBe('release');
  const build = { TEAMCITY_VERSION: '2025.11', BUILD_VCS_NUMBER: 'abc' };
  expect((await detectOrigin(build, folder)).branchName).toBe('release');
  for (const env of [
    { GITHUB_REF: 'refs/tags/v1' },
    { JENKINS_URL: 'x', TAG_NAME: 'v1' },
    { GITHUB_REF: 'refs/pull/1/merge' },
  ])
    expect((await detectOrigin(env, folder)).branchName).toBeUndefined();
  git('branch', 'other');
  expect((await detectOrigin({}, folder)).branchName).toBeUndefined();
});

it('finds nothing where there is neither', async () => {
  expect(await detectOrigin({}, await temporaryFolder())).toEqual({});
});
