/** Where a test session comes from: the environment of a CI before git, and never a login. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { detectOrigin } from '../../../commands/test-sessions/shared/git.ts';
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

it('finds nothing where there is neither', async () => {
  expect(await detectOrigin({}, await temporaryFolder())).toEqual({});
});
