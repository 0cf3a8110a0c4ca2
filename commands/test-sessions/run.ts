/** `sonde test-sessions run`: runs checks, or a local Playwright project, as a test without alerts (POST /v1/test-sessions/trigger). */
import { resolve } from 'node:path';
import { UsageError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { isObject } from '../../src/base/object.ts';
import type { CallOptions } from '../../src/client/index.ts';
import { triggerTestSessions } from '../../src/contract/index.ts';
import { askTestSessions, testSessions } from '../../src/gate/index.ts';
import { type Deps, defineCommand, flag } from '../kernel/index.ts';
import { refuseUnrunnable } from '../shared/checks/runnable.ts';
import { tagGroups, targetIds, targetOptions } from '../shared/checks/targets.ts';
import { gateExits, gateOptions, waitForSessions } from '../shared/sessions/gate.ts';
import { originOf } from '../shared/sessions/origin.ts';
import { cancelTest, startTest } from '../shared/sessions/start-test.ts';
import { printTestSession, type TestSession } from '../shared/sessions/test-session.ts';
import { namedSuite, SUITE_FLAGS, sentSuite, suiteBody, suiteOptions } from '../shared/suites/of-test.ts';

const waiting = flag(
  'Hold until the session has ended, and exit by its verdict; of a suite unless --no-wait',
  {
    negative: 'also',
  },
);

export const command = defineCommand({
  name: 'test-sessions run',
  summary: 'Run checks, or a Playwright project of your own, as a test without alerts',
  description:
    'Checks are started and not waited for, unless --wait says so: "sonde test-sessions wait" takes the id that -o plain prints. ' +
    'With --suite the folder of a Playwright project is sent as git keeps it, run once as it runs with you, and waited for; no check ' +
    'is made of it. It finds CI=true, and is cancelled where you interrupt the command; --run-location may then name several places, ' +
    'separated by commas, and --name may be left out for the name of its package or folder. ' +
    "The commit, its author and branch are told to the service as the CI's environment or git names them, unless flags do.",
  endpoint: triggerTestSessions,
  arguments: { ids: { ...targetIds, unless: [...(targetIds.unless ?? []), 'suite'] } },
  options: {
    ...targetOptions,
    allowDeactivated: flag('Run deactivated checks, too'),
    ...suiteOptions,
    wait: {
      ...waiting,
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
      'How it runs': [
        'name',
        'runLocation',
        'environmentVariables',
        'retryStrategy',
        'refreshCache',
        'record',
      ],
      'How a suite runs': [
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
      does: 'runs the checks with a tag from one location',
    },
    {
      line: 'test-sessions run --all --name Nightly --run-location eu-west-1 -o plain | sonde test-sessions wait -',
      does: 'runs every check and holds until all have ended',
    },
    {
      line: 'test-sessions run --suite e2e --run-location eu-west-1 --env SHOP_TOKEN --report junit:report.xml',
      does: 'sends a Playwright project, runs its tests and exits by their verdict',
    },
  ],
  makeBody(given, { args, options, complain, note }) {
    const target = isObject(given.target) ? given.target : undefined;
    const inFile = target?.checkId !== undefined || target?.matchTags !== undefined;
    const named = args.ids.length > 0 || options.tag.length > 0 || inFile;
    if (options.suite !== undefined) {
      if (named || options.all)
        complain({
          place: '--suite',
          message: 'runs instead of checks: it goes with neither ids nor --tag nor --all',
        });
      return suiteBody(given, note);
    }
    if (given.suite !== undefined) {
      if (!isObject(given.suite) || given.suite.codeBundleId === undefined)
        complain({ place: '--suite', message: 'is required: the folder of the project' });
      return { ...given };
    }
    if (options.all && named) complain({ place: '--all', message: 'goes with neither ids nor --tag' });
    if (!options.all && !named) {
      complain({
        place: '<check-id>',
        message: 'is required, or --tag, or --all for every activated check, or --suite',
      });
    }
    for (const index of args.ids.keys()) note(['target', 'checkId', index], '<check-id>');
    note(['target', 'matchTags'], '--tag');
    const merged = {
      ...target,
      ...(args.ids.length > 0 ? { checkId: [...args.ids] } : {}),
      ...(options.tag.length > 0 ? { matchTags: tagGroups(options.tag) } : {}),
      ...(options.allowDeactivated ? { allowDeactivated: true } : {}),
    };
    return Object.keys(merged).length > 0 ? { ...given, target: merged } : { ...given };
  },
  exits: [
    ...gateExits,
    [EXIT.notFound, 'no check matched, or a named one would not run: nothing was started'],
  ],
  dryRun: 'own',
  async run(deps, line) {
    const { options, output, dryRun } = line;
    const { suite: dir, report } = options;
    const isSuite = line.input.body.suite !== undefined;
    const waits = options.wait ?? isSuite;
    if (!waits && report.length > 0)
      throw new UsageError('--report goes with waiting: without it nothing would be written', {
        hint: 'give --wait; "sonde test-sessions wait" takes --report, too',
      });
    if (waits && output.format === 'plain')
      throw new UsageError('-o plain prints the id of a session that is not waited for', {
        hint: 'give --no-wait, or another format',
      });
    const body = dir === undefined ? line.input.body : await namedSuite(deps, line.input.body, dir);
    if (dryRun) return deps.preview(triggerTestSessions, [{ body }], output);
    const start = (call: CallOptions) => started(deps, body, { ...options, suite: dir }, call);
    if (!waits) {
      const session = await start({ signal: deps.signal });
      return printTestSession(deps, line, session, { plain: () => `${session.testSessionId}\n` });
    }
    await waitForSessions(deps, line, {
      kind: testSessions,
      ask: async () => askTestSessions(await deps.client()),
      async start(signal) {
        const session = await start({ signal, budgetMs: options.timeout });
        return {
          ids: [session.testSessionId],
          many: false,
          known: new Map([[session.testSessionId, session]]),
        };
      },
      // Nobody else knows of a suite that was sent from here.
      ...(isSuite ? { stop: (id) => cancelTest(deps, id) } : {}),
      justStarted: true,
      again: 'test-sessions wait',
    });
  },
});

type Body = Parameters<typeof namedSuite>[1];
type Given = Omit<Parameters<typeof sentSuite>[2], 'suite'> & { readonly suite: string | undefined };

/** Starts the session; of a suite once its folder was sent. */
async function started(deps: Deps, body: Body, given: Given, call: CallOptions): Promise<TestSession> {
  const { suite: dir } = given;
  const { env, cwd, signal } = deps;
  const metadata = {
    ...(await originOf(env, dir === undefined ? cwd : resolve(cwd, dir))),
    ...body.metadata,
  };
  const { checkId: named = [], matchTags, allowDeactivated } = body.target ?? {};
  // What tags must match, too, was named as a candidate only. One check alone is refused by the service itself.
  if (matchTags === undefined && new Set(named).size > 1)
    await refuseUnrunnable(deps, named, allowDeactivated === true);
  const whole =
    dir === undefined
      ? body
      : await sentSuite({ ...deps, signal: call.signal ?? signal }, body, { ...given, suite: dir });
  const isKnown = Object.keys(metadata).length > 0;
  return startTest(deps, isKnown ? { ...whole, metadata } : whole, call);
}
