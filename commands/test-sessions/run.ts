/** `sonde test-sessions run`: runs checks as a test, without alerts (POST /v1/test-sessions/trigger). */

import { NetworkError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { isObject } from '../../src/base/object.ts';
import { triggerTestSessions } from '../../src/contract/index.ts';
import { defineCommand, flag } from '../kernel/index.ts';
import { refuseUnrunnable } from '../shared/checks/runnable.ts';
import { tagGroups, targetIds, targetOptions } from '../shared/checks/targets.ts';
import { originOf } from '../shared/sessions/origin.ts';
import { printTestSession } from '../shared/sessions/test-session.ts';

export const command = defineCommand({
  name: 'test-sessions run',
  summary: 'Run checks as a test, without alerts, and print the session',
  description:
    'Does not wait: "sonde test-sessions wait" does, and takes the id that -o plain prints. ' +
    "The commit, its author and branch are told to the service as the CI's environment or git names them, unless flags do.",
  endpoint: triggerTestSessions,
  arguments: { ids: targetIds },
  options: {
    ...targetOptions,
    allowDeactivated: flag('Run deactivated checks, too'),
  },
  flags: {
    names: {
      'metadata.environment': 'environment',
      'metadata.repoUrl': 'repo-url',
      'metadata.commitId': 'commit-id',
      'metadata.commitOwner': 'commit-owner',
      'metadata.commitMessage': 'commit-message',
      'metadata.branchName': 'branch-name',
    },
    without: ['target', 'metadata'],
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
  ],
  makeBody(given, { args, options, complain, note }) {
    const target = isObject(given.target) ? given.target : undefined;
    const inFile = target?.checkId !== undefined || target?.matchTags !== undefined;
    const named = args.ids.length > 0 || options.tag.length > 0 || inFile;
    if (options.all && named) complain({ place: '--all', message: 'goes with neither ids nor --tag' });
    if (!options.all && !named) {
      complain({ place: '<check-id>', message: 'is required, or --tag, or --all for every activated check' });
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
  exits: [[EXIT.notFound, 'no check matched, or a named one would not run: nothing was started']],
  async run(deps, line) {
    const { client, terminal, signal, env, cwd } = deps;
    const metadata = { ...(await originOf(env, cwd)), ...line.input.body.metadata };
    const isKnown = Object.keys(metadata).length > 0;
    const input = { ...line.input, body: { ...line.input.body, ...(isKnown ? { metadata } : {}) } };
    const { checkId: named = [], matchTags, allowDeactivated } = input.body.target ?? {};
    // What tags must match, too, was named as a candidate only. One check alone is refused by the service itself.
    if (matchTags === undefined && new Set(named).size > 1) {
      await refuseUnrunnable(deps, named, allowDeactivated === true);
    }
    const api = await client();
    signal.throwIfAborted();
    const { body: session } = await api
      .call(triggerTestSessions, input, { signal })
      .catch(async (error: unknown): Promise<never> => {
        if (signal.aborted) {
          await terminal.warn('a test session may have started: "sonde api GET /v1/test-sessions" shows it');
        }
        if (!(error instanceof NetworkError) || !error.mayHaveActed) throw error;
        throw new NetworkError(error.message, error, {
          hint: `a test session may have started\n${error.hint ?? ''}`.trim(),
          cause: error,
        });
      });
    await terminal.note(`Started the test session ${session.name} (${session.testSessionId}).`);
    await printTestSession(deps, line, session, { plain: () => `${session.testSessionId}\n` });
  },
});
