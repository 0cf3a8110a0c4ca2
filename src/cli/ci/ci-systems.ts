/** Lists the variables in which CI systems name the branch, the commit, the repository and the page of a run. */
/** Variables of one CI system; the first one with a value counts. */
export interface CiSystem {
  readonly name: string;
  /** A variable that only this system sets, or `NAME=value`, if its others have common names. */
  readonly marker?: string;
  readonly branch: readonly string[];
  /** Variables that are set for a tag: then `branch` names the tag or nothing. */
  readonly tag?: readonly string[];
  readonly commit: readonly string[];
  readonly repository?: readonly string[];
  readonly message?: readonly string[];
  readonly author?: readonly string[];
  /** Addresses of the page of the run: texts with variables, such as `https://ci.test/builds/{BUILD_ID}`. */
  readonly link?: readonly string[];
}

/** Systems with own names first; variables of pull requests, which name the source, come before others. */
export const CI_SYSTEMS: readonly CiSystem[] = [
  {
    name: 'Jenkins',
    marker: 'JENKINS_URL',
    branch: [
      'CHANGE_BRANCH',
      'ghprbSourceBranch',
      'gitlabSourceBranch',
      'BRANCH_NAME',
      'GIT_LOCAL_BRANCH',
      'GIT_BRANCH',
      'gitlabBranch',
    ],
    tag: ['TAG_NAME'],
    commit: ['ghprbActualCommit', 'GIT_COMMIT'],
    repository: ['GIT_URL'],
    author: ['CHANGE_AUTHOR_DISPLAY_NAME', 'GIT_AUTHOR_NAME'],
    link: ['{BUILD_URL}'],
  },
  {
    name: 'Bamboo',
    marker: 'bamboo_planKey',
    branch: ['bamboo_planRepository_branchName', 'bamboo_planRepository_1_branchName'],
    commit: ['bamboo_planRepository_revision', 'bamboo_planRepository_1_revision'],
    repository: ['bamboo_planRepository_repositoryUrl', 'bamboo_planRepository_1_repositoryUrl'],
    link: ['{bamboo_buildResultsUrl}'],
  },
  {
    name: 'Codeship',
    marker: 'CI_NAME=codeship',
    branch: ['CI_BRANCH'],
    commit: ['CI_COMMIT_ID'],
    message: ['CI_COMMIT_MESSAGE'],
    author: ['CI_COMMITTER_NAME'],
    link: ['{CI_BUILD_URL}'],
  },
  {
    name: 'Screwdriver',
    marker: 'SCREWDRIVER',
    branch: ['PR_BRANCH_NAME', 'GIT_BRANCH'],
    commit: ['SD_BUILD_SHA'],
    repository: ['SCM_URL'],
    link: ['{SD_UI_BUILD_URL}'],
  },
  {
    name: 'Prow',
    marker: 'PROW_JOB_ID',
    branch: ['PULL_HEAD_REF', 'PULL_BASE_REF'],
    commit: ['PULL_PULL_SHA', 'PULL_BASE_SHA'],
  },
  {
    name: 'GitHub Actions',
    branch: ['GITHUB_HEAD_REF', 'GITHUB_REF', 'GITHUB_REF_NAME'],
    commit: ['GITHUB_SHA'],
    author: ['GITHUB_ACTOR'],
    link: ['{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}'],
  },
  {
    name: 'Woodpecker',
    marker: 'CI=woodpecker',
    branch: ['CI_COMMIT_SOURCE_BRANCH', 'CI_COMMIT_BRANCH'],
    tag: ['CI_COMMIT_TAG'],
    commit: ['CI_COMMIT_SHA'],
    repository: ['CI_REPO_URL'],
    message: ['CI_COMMIT_MESSAGE'],
    author: ['CI_COMMIT_AUTHOR'],
    link: ['{CI_PIPELINE_URL}'],
  },
  {
    name: 'Xcode Cloud',
    marker: 'CI_XCODE_CLOUD',
    branch: ['CI_PULL_REQUEST_SOURCE_BRANCH', 'CI_BRANCH'],
    tag: ['CI_TAG'],
    commit: ['CI_PULL_REQUEST_SOURCE_COMMIT', 'CI_COMMIT'],
    link: ['{CI_BUILD_URL}'],
  },
  {
    name: 'GitLab CI',
    branch: ['CI_MERGE_REQUEST_SOURCE_BRANCH_NAME', 'CI_COMMIT_BRANCH', 'CI_COMMIT_REF_NAME'],
    tag: ['CI_COMMIT_TAG'],
    commit: ['CI_COMMIT_SHA'],
    repository: ['CI_PROJECT_URL'],
    message: ['CI_COMMIT_MESSAGE'],
    author: ['CI_COMMIT_AUTHOR'],
    link: ['{CI_PIPELINE_URL}', '{CI_JOB_URL}'],
  },
  {
    name: 'CircleCI',
    branch: ['CIRCLE_BRANCH'],
    tag: ['CIRCLE_TAG'],
    commit: ['CIRCLE_SHA1'],
    repository: ['CIRCLE_REPOSITORY_URL'],
    author: ['CIRCLE_USERNAME'],
    link: ['{CIRCLE_BUILD_URL}'],
  },
  {
    name: 'Buildkite',
    branch: ['BUILDKITE_BRANCH'],
    tag: ['BUILDKITE_TAG'],
    commit: ['BUILDKITE_COMMIT'],
    repository: ['BUILDKITE_REPO'],
    message: ['BUILDKITE_MESSAGE'],
    author: ['BUILDKITE_BUILD_AUTHOR'],
    link: ['{BUILDKITE_BUILD_URL}'],
  },
  {
    name: 'Azure Pipelines',
    marker: 'TF_BUILD',
    branch: ['SYSTEM_PULLREQUEST_SOURCEBRANCH', 'BUILD_SOURCEBRANCH'],
    commit: ['SYSTEM_PULLREQUEST_SOURCECOMMITID', 'BUILD_SOURCEVERSION'],
    repository: ['BUILD_REPOSITORY_URI'],
    message: ['BUILD_SOURCEVERSIONMESSAGE'],
    author: ['BUILD_SOURCEVERSIONAUTHOR'],
    link: ['{SYSTEM_COLLECTIONURI}{SYSTEM_TEAMPROJECT}/_build/results?buildId={BUILD_BUILDID}'],
  },
  {
    name: 'Bitbucket Pipelines',
    branch: ['BITBUCKET_BRANCH'],
    tag: ['BITBUCKET_TAG'],
    commit: ['BITBUCKET_COMMIT'],
    repository: ['BITBUCKET_GIT_HTTP_ORIGIN'],
    link: ['https://bitbucket.org/{BITBUCKET_REPO_FULL_NAME}/pipelines/results/{BITBUCKET_BUILD_NUMBER}'],
  },
  {
    name: 'TeamCity',
    marker: 'TEAMCITY_VERSION',
    branch: [],
    commit: ['BUILD_VCS_NUMBER'],
    link: ['{BUILD_URL}'],
  },
  {
    name: 'Travis CI',
    branch: ['TRAVIS_PULL_REQUEST_BRANCH', 'TRAVIS_BRANCH'],
    tag: ['TRAVIS_TAG'],
    commit: ['TRAVIS_PULL_REQUEST_SHA', 'TRAVIS_COMMIT'],
    message: ['TRAVIS_COMMIT_MESSAGE'],
    link: ['{TRAVIS_BUILD_WEB_URL}'],
  },
  {
    name: 'AppVeyor',
    branch: ['APPVEYOR_PULL_REQUEST_HEAD_REPO_BRANCH', 'APPVEYOR_REPO_BRANCH'],
    tag: ['APPVEYOR_REPO_TAG_NAME'],
    commit: ['APPVEYOR_PULL_REQUEST_HEAD_COMMIT', 'APPVEYOR_REPO_COMMIT'],
    message: ['APPVEYOR_REPO_COMMIT_MESSAGE'],
    author: ['APPVEYOR_REPO_COMMIT_AUTHOR'],
    link: [
      '{APPVEYOR_URL}/project/{APPVEYOR_ACCOUNT_NAME}/{APPVEYOR_PROJECT_SLUG}/builds/{APPVEYOR_BUILD_ID}',
    ],
  },
  {
    name: 'Drone and Harness',
    branch: ['DRONE_SOURCE_BRANCH', 'DRONE_BRANCH'],
    tag: ['DRONE_TAG'],
    commit: ['DRONE_COMMIT_SHA'],
    repository: ['DRONE_REPO_LINK'],
    message: ['DRONE_COMMIT_MESSAGE'],
    author: ['DRONE_COMMIT_AUTHOR_NAME', 'DRONE_COMMIT_AUTHOR'],
    link: ['{DRONE_BUILD_LINK}'],
  },
  {
    name: 'Semaphore',
    branch: ['SEMAPHORE_GIT_PR_BRANCH', 'SEMAPHORE_GIT_BRANCH'],
    tag: ['SEMAPHORE_GIT_TAG_NAME'],
    commit: ['SEMAPHORE_GIT_PR_SHA', 'SEMAPHORE_GIT_SHA'],
    repository: ['SEMAPHORE_GIT_URL'],
    link: ['{SEMAPHORE_ORGANIZATION_URL}/workflows/{SEMAPHORE_WORKFLOW_ID}'],
  },
  {
    name: 'Netlify',
    marker: 'NETLIFY',
    branch: ['HEAD', 'BRANCH'],
    commit: ['COMMIT_REF'],
    repository: ['REPOSITORY_URL'],
    link: ['https://app.netlify.com/sites/{SITE_NAME}/deploys/{DEPLOY_ID}'],
  },
  {
    name: 'Vercel',
    branch: ['VERCEL_GIT_COMMIT_REF'],
    commit: ['VERCEL_GIT_COMMIT_SHA'],
    message: ['VERCEL_GIT_COMMIT_MESSAGE'],
    author: ['VERCEL_GIT_COMMIT_AUTHOR_NAME'],
  },
  { name: 'Cloudflare Pages', branch: ['CF_PAGES_BRANCH'], commit: ['CF_PAGES_COMMIT_SHA'] },
  { name: 'Cloudflare Workers', branch: ['WORKERS_CI_BRANCH'], commit: ['WORKERS_CI_COMMIT_SHA'] },
  { name: 'Render', branch: ['RENDER_GIT_BRANCH'], commit: ['RENDER_GIT_COMMIT'] },
  {
    name: 'AWS CodeBuild',
    branch: ['CODEBUILD_WEBHOOK_HEAD_REF'],
    commit: ['CODEBUILD_RESOLVED_SOURCE_VERSION'],
    repository: ['CODEBUILD_SOURCE_REPO_URL'],
    link: ['{CODEBUILD_BUILD_URL}'],
  },
  {
    name: 'Codefresh',
    marker: 'CF_BUILD_ID',
    branch: ['CF_BRANCH'],
    commit: ['CF_REVISION'],
    message: ['CF_COMMIT_MESSAGE'],
    author: ['CF_COMMIT_AUTHOR'],
    link: ['{CF_BUILD_URL}'],
  },
  {
    name: 'Codemagic',
    branch: ['CM_BRANCH'],
    tag: ['CM_TAG'],
    commit: ['CM_COMMIT'],
    link: ['https://codemagic.io/app/{CM_PROJECT_ID}/build/{CM_BUILD_ID}'],
  },
  {
    name: 'Bitrise',
    branch: ['BITRISE_GIT_BRANCH'],
    tag: ['BITRISE_GIT_TAG'],
    commit: ['BITRISE_GIT_COMMIT'],
    repository: ['GIT_REPOSITORY_URL'],
    message: ['BITRISE_GIT_MESSAGE'],
    link: ['{BITRISE_BUILD_URL}'],
  },
  { name: 'Appcircle', branch: ['AC_GIT_BRANCH'], commit: ['AC_GIT_COMMIT'] },
  {
    name: 'Cirrus CI',
    branch: ['CIRRUS_BRANCH'],
    tag: ['CIRRUS_TAG'],
    commit: ['CIRRUS_CHANGE_IN_REPO'],
    repository: ['CIRRUS_REPO_CLONE_URL'],
    message: ['CIRRUS_CHANGE_MESSAGE'],
    link: ['https://cirrus-ci.com/build/{CIRRUS_BUILD_ID}'],
  },
  {
    name: 'Vela',
    branch: ['VELA_PULL_REQUEST_SOURCE', 'VELA_BUILD_BRANCH'],
    tag: ['VELA_BUILD_TAG'],
    commit: ['VELA_BUILD_COMMIT'],
    repository: ['VELA_REPO_LINK'],
    message: ['VELA_BUILD_MESSAGE'],
    author: ['VELA_BUILD_AUTHOR'],
    link: ['{VELA_BUILD_LINK}'],
  },
  {
    name: 'Scrutinizer',
    branch: ['SCRUTINIZER_PR_SOURCE_BRANCH', 'SCRUTINIZER_BRANCH'],
    commit: ['SCRUTINIZER_SHA1'],
  },
  {
    name: 'Buddy',
    branch: [
      'BUDDY_RUN_PR_HEAD_BRANCH',
      'BUDDY_EXECUTION_PULL_REQUEST_HEAD_BRANCH',
      'BUDDY_RUN_BRANCH',
      'BUDDY_EXECUTION_BRANCH',
    ],
    tag: ['BUDDY_EXECUTION_TAG'],
    commit: ['BUDDY_EXECUTION_REVISION'],
    link: ['{BUDDY_RUN_URL}', '{BUDDY_EXECUTION_URL}'],
  },
  { name: 'Heroku CI', branch: ['HEROKU_TEST_RUN_BRANCH'], commit: ['HEROKU_TEST_RUN_COMMIT_VERSION'] },
];

/** Returns the variable of a marker and the value that it must have; undefined: any. */
export function readMarker(marker: string): {
  readonly variable: string;
  readonly value: string | undefined;
} {
  const [variable = '', value] = marker.split('=');
  return { variable, value };
}

/** Returns the variables of a link. */
export const variablesOf = (link: string): readonly string[] =>
  [...link.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
