/** `sonde test-sessions run`: runs checks or a local Playwright project without alerts (POST /v1/test-sessions/trigger). */
import { resolve } from 'node:path';
import { UsageError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { isObject } from '../../src/base/object.ts';
import { type Deps, defineCommand, flag } from '../../src/cli/framework/index.ts';
import type { CallOptions } from '../../src/client/index.ts';
import { triggerTestSessions } from '../../src/contract/index.ts';
import { pollTestSessions, testSessions } from '../../src/gate/index.ts';
import { gateExits, gateOptions, waitForSessions } from '../sessions/shared/gate.ts';
import { tagGroups, targetIds, targetOptions } from '../sessions/shared/start-checks.ts';
import { detectOrigin } from './shared/git.ts';
import { assertRunnable, cancelTestOnExit, startTestSession } from './shared/start-test.ts';
import { fillSuiteName, SUITE_FLAGS, suiteOptions, toSuiteBody, uploadTestSuite } from './shared/suite.ts';
import { printTestSession, type TestSession } from './shared/test-session.ts';

const waitFlag = flag('Wait for the session to end, and exit with its verdict (default with --suite)', {
  negative: 'also',
});

export const command = defineCommand({
  name: 'test-sessions run',
  summary: 'Run checks or a local Playwright project once, without alerting',
  description:
    'Starts checks and waits for them only with --wait. To wait later, pass the session ID that -o plain prints to "sonde ' +
    'test-sessions wait". With --suite, the command uploads the folder of a Playwright project, without files that git ignores, ' +
    'runs the project once with CI=true, and waits for it. No check is created. Interrupting the command cancels the session. With --suite, ' +
    '--run-location accepts several locations, separated by commas, and --name defaults to the name of the package or ' +
    'folder. The commit, its author and its branch come from the CI environment or from git, unless flags set them. ' +
    'Without --environment, the environment is the page of the CI run.',
  endpoint: triggerTestSessions,
  arguments: { ids: { ...targetIds, unless: [...(targetIds.unless ?? []), 'suite'] } },
  options: {
    ...targetOptions,
    allowDeactivated: flag('Also run deactivated checks'),
    ...suiteOptions,
    wait: {
      ...waitFlag,
      read: (texts: readonly string[] | undefined) =>
        texts === undefined ? undefined : texts.at(-1) === 'true',
    },
    ...gateOptions,
  },
  flags: {
    names: {
      ...SUITE_FLAGS,
      'metadata.environment': 'environment',
      'metadata.repoUrl': 'repo-url',
      'metadata.commitId': 'commit-id',
      'metadata.commitOwner': 'commit-owner',
      'metadata.commitMessage': 'commit-message',
      'metadata.branchName': 'branch-name',
    },
    without: ['target', 'metadata', 'suite'],
    groups: {
      'Test session': [
        'name',
        'runLocation',
        'environmentVariables',
        'retryStrategy',
        'refreshCache',
        'record',
      ],
      'Playwright suite': [
        'suite.furtherLocations',
        'suite.playwrightConfigPath',
        'suite.pwProjects',
        'suite.pwTags',
        'suite.installCommand',
        'suite.testCommand',
        'suite.workingDir',
        'suite.engine',
        'suite.engineVersion',
        'suite.runtimeId',
      ],
    },
  },
  formats: ['plain'],
  examples: [
    {
      line: 'test-sessions run --tag checkout --name "Before release" --run-location eu-west-1',
      does: 'Run the checks with a tag from one location',
    },
    {
      line: 'test-sessions run --all --name Nightly --run-location eu-west-1 -o plain | sonde test-sessions wait -',
      does: 'Run all activated checks and wait for the verdict',
    },
    {
      line: 'test-sessions run --suite e2e --run-location eu-west-1 --env SHOP_TOKEN --report junit:report.xml',
      does: 'Upload a Playwright project, run its tests and write a JUnit report',
    },
  ],
  makeBody(fields, { args, options, reportProblem, recordSource }) {
    const target = isObject(fields.target) ? fields.target : undefined;
    const inFile = target?.checkId !== undefined || target?.matchTags !== undefined;
    const named = args.ids.length > 0 || options.tag.length > 0 || inFile;
    if (options.suite !== undefined) {
      if (named || options.all)
        reportProblem({
          place: '--suite',
          message: 'cannot be combined with check IDs, --tag or --all',
        });
      return toSuiteBody(fields, recordSource);
    }
    if (fields.suite !== undefined) {
      if (!isObject(fields.suite) || fields.suite.codeBundleId === undefined)
        reportProblem({ place: '--suite', message: 'is required: the project folder' });
      return { ...fields };
    }
    if (options.all && named)
      reportProblem({ place: '--all', message: 'cannot be combined with check IDs or --tag' });
    if (!options.all && !named) {
      reportProblem({
        place: '<check-id>',
        message: 'is required, or one of --tag, --all and --suite',
      });
    }
    for (const index of args.ids.keys()) recordSource(['target', 'checkId', index], '<check-id>');
    recordSource(['target', 'matchTags'], '--tag');
    const merged = {
      ...target,
      ...(args.ids.length > 0 ? { checkId: [...args.ids] } : {}),
      ...(options.tag.length > 0 ? { matchTags: tagGroups(options.tag) } : {}),
      ...(options.allowDeactivated ? { allowDeactivated: true } : {}),
    };
    return Object.keys(merged).length > 0 ? { ...fields, target: merged } : { ...fields };
  },
  exits: [...gateExits, [EXIT.notFound, 'no check matched, or a specified check cannot or did not run']],
  dryRun: 'own',
  async run(deps, line) {
    const { options, output, dryRun } = line;
    const { suite: dir, report } = options;
    const isSuite = line.input.body.suite !== undefined;
    const waits = options.wait ?? isSuite;
    if (!waits && report.length > 0)
      throw new UsageError('--report requires --wait', {
        hint: 'pass --wait, or use --report with "sonde test-sessions wait"',
      });
    if (waits && output.format === 'plain')
      throw new UsageError('-o plain requires --no-wait', {
        hint: 'pass --no-wait, or use another output format',
      });
    const body = dir === undefined ? line.input.body : await fillSuiteName(deps, line.input.body, dir);
    if (dryRun) return deps.preview(triggerTestSessions, [{ body }], output);
    const start = (call: CallOptions) => startSession(deps, body, { ...options, suite: dir }, call);
    if (!waits) {
      const session = await start({ signal: deps.signal });
      return printTestSession(deps, line, session, { plain: () => `${session.testSessionId}\n` });
    }
    await waitForSessions(deps, line, {
      kind: testSessions,
      openPoll: async () => pollTestSessions(await deps.client()),
      async start(signal) {
        const session = await start({ signal, budgetMs: options.timeout });
        return {
          ids: [session.testSessionId],
          many: false,
          known: new Map([[session.testSessionId, session]]),
          // With tags, IDs only restrict the selection.
          required: body.target?.matchTags === undefined ? body.target?.checkId : [],
        };
      },
      // Only this command knows the session of a local suite.
      ...(isSuite ? { stop: (id) => cancelTestOnExit(deps, id) } : {}),
      justStarted: true,
      again: 'test-sessions wait',
    });
  },
});

type Body = Parameters<typeof fillSuiteName>[1];
type SuiteOptions = Omit<Parameters<typeof uploadTestSuite>[2], 'suite'> & {
  readonly suite: string | undefined;
};

/** Uploads the suite, if there is one, and starts the session. */
async function startSession(
  deps: Deps,
  body: Body,
  options: SuiteOptions,
  call: CallOptions,
): Promise<TestSession> {
  const { suite: dir } = options;
  const { env, cwd, signal } = deps;
  const metadata = {
    ...(await detectOrigin(env, dir === undefined ? cwd : resolve(cwd, dir))),
    ...body.metadata,
  };
  const { checkId: named = [], matchTags, allowDeactivated } = body.target ?? {};
  // With tags, IDs only restrict the selection. The service itself rejects a single check that cannot run.
  if (matchTags === undefined && new Set(named).size > 1)
    await assertRunnable(deps, named, allowDeactivated === true);
  const whole =
    dir === undefined
      ? body
      : await uploadTestSuite({ ...deps, signal: call.signal ?? signal }, body, { ...options, suite: dir });
  const isKnown = Object.keys(metadata).length > 0;
  return startTestSession(deps, isKnown ? { ...whole, metadata } : whole, call);
}
